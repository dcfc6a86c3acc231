-- The views of pg_catalog, with PostgreSQL 15's names, columns and types. Run once by initdb in template1.
SET search_path = pg_catalog;

-- --- objects -----------------------------------------------------------------------------------------------------------------
CREATE VIEW pg_catalog.pg_roles AS
  SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolconnlimit, '********'::text AS rolpassword,
         rolvaliduntil, rolbypassrls, s.setconfig AS rolconfig, a.oid
  FROM pg_authid a LEFT JOIN pg_db_role_setting s ON s.setrole = a.oid AND s.setdatabase = 0;

CREATE VIEW pg_catalog.pg_shadow AS
  SELECT rolname AS usename, a.oid AS usesysid, rolcreatedb AS usecreatedb, rolsuper AS usesuper, rolreplication AS userepl,
         rolbypassrls AS usebypassrls, rolpassword AS passwd, rolvaliduntil AS valuntil, s.setconfig AS useconfig
  FROM pg_authid a LEFT JOIN pg_db_role_setting s ON s.setrole = a.oid AND s.setdatabase = 0
  WHERE rolcanlogin;
REVOKE ALL ON pg_catalog.pg_shadow FROM PUBLIC;

CREATE VIEW pg_catalog.pg_group AS
  SELECT g.rolname AS groname, g.oid AS grosysid, ARRAY(SELECT m.member FROM pg_auth_members m WHERE m.roleid = g.oid) AS grolist
  FROM pg_authid g WHERE NOT g.rolcanlogin;

CREATE VIEW pg_catalog.pg_user AS
  SELECT usename, usesysid, usecreatedb, usesuper, userepl, usebypassrls, '********'::text AS passwd, valuntil, useconfig FROM pg_shadow;

CREATE VIEW pg_catalog.pg_policies AS
  SELECT n.nspname AS schemaname, c.relname AS tablename, p.polname AS policyname,
         CASE p.polpermissive WHEN true THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END AS permissive,
         CASE p.polroles WHEN '{0}' THEN string_to_array('public', '')::name[]
                         ELSE ARRAY(SELECT a.rolname FROM pg_authid a WHERE a.oid = ANY (p.polroles) ORDER BY a.rolname) END AS roles,
         CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' WHEN '*' THEN 'ALL' END AS cmd,
         pg_get_expr(p.polqual, p.polrelid) AS qual, pg_get_expr(p.polwithcheck, p.polrelid) AS with_check
  FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid LEFT JOIN pg_namespace n ON n.oid = c.relnamespace;

CREATE VIEW pg_catalog.pg_rules AS
  SELECT n.nspname AS schemaname, c.relname AS tablename, r.rulename, pg_get_ruledef(r.oid) AS definition
  FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE r.rulename <> '_RETURN';

CREATE VIEW pg_catalog.pg_views AS
  SELECT n.nspname AS schemaname, c.relname AS viewname, pg_get_userbyid(c.relowner) AS viewowner, pg_get_viewdef(c.oid) AS definition
  FROM pg_class c LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'v';

CREATE VIEW pg_catalog.pg_tables AS
  SELECT n.nspname AS schemaname, c.relname AS tablename, pg_get_userbyid(c.relowner) AS tableowner, t.spcname AS tablespace,
         c.relhasindex AS hasindexes, c.relhasrules AS hasrules, c.relhastriggers AS hastriggers, c.relrowsecurity AS rowsecurity
  FROM pg_class c LEFT JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_tablespace t ON t.oid = c.reltablespace
  WHERE c.relkind IN ('r', 'p');

CREATE VIEW pg_catalog.pg_matviews AS
  SELECT n.nspname AS schemaname, c.relname AS matviewname, pg_get_userbyid(c.relowner) AS matviewowner, t.spcname AS tablespace,
         c.relhasindex AS hasindexes, c.relispopulated AS ispopulated, pg_get_viewdef(c.oid) AS definition
  FROM pg_class c LEFT JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_tablespace t ON t.oid = c.reltablespace
  WHERE c.relkind = 'm';

CREATE VIEW pg_catalog.pg_indexes AS
  SELECT n.nspname AS schemaname, c.relname AS tablename, i.relname AS indexname, t.spcname AS tablespace, pg_get_indexdef(i.oid) AS indexdef
  FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
       LEFT JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_tablespace t ON t.oid = i.reltablespace
  WHERE c.relkind IN ('r', 'm', 'p') AND i.relkind IN ('i', 'I');

CREATE VIEW pg_catalog.pg_sequences AS
  SELECT n.nspname AS schemaname, c.relname AS sequencename, pg_get_userbyid(c.relowner) AS sequenceowner, s.seqtypid::regtype AS data_type,
         s.seqstart AS start_value, s.seqmin AS min_value, s.seqmax AS max_value, s.seqincrement AS increment_by, s.seqcycle AS cycle,
         s.seqcache AS cache_size,
         CASE WHEN has_sequence_privilege(c.oid, 'SELECT,USAGE'::text) THEN pg_sequence_last_value(c.oid) END AS last_value
  FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE NOT pg_is_other_temp_schema(n.oid) AND c.relkind = 'S';

CREATE VIEW pg_catalog.pg_stats WITH (security_barrier) AS
  SELECT n.nspname AS schemaname, c.relname AS tablename, a.attname, s.stainherit AS inherited, s.stanullfrac AS null_frac,
         s.stawidth AS avg_width, s.stadistinct AS n_distinct,
         CASE 1 WHEN s.stakind1 THEN s.stavalues1 WHEN s.stakind2 THEN s.stavalues2 WHEN s.stakind3 THEN s.stavalues3
                WHEN s.stakind4 THEN s.stavalues4 WHEN s.stakind5 THEN s.stavalues5 END AS most_common_vals,
         CASE 1 WHEN s.stakind1 THEN s.stanumbers1 WHEN s.stakind2 THEN s.stanumbers2 WHEN s.stakind3 THEN s.stanumbers3
                WHEN s.stakind4 THEN s.stanumbers4 WHEN s.stakind5 THEN s.stanumbers5 END AS most_common_freqs,
         CASE 2 WHEN s.stakind1 THEN s.stavalues1 WHEN s.stakind2 THEN s.stavalues2 WHEN s.stakind3 THEN s.stavalues3
                WHEN s.stakind4 THEN s.stavalues4 WHEN s.stakind5 THEN s.stavalues5 END AS histogram_bounds,
         CASE 3 WHEN s.stakind1 THEN s.stanumbers1[1] WHEN s.stakind2 THEN s.stanumbers2[1] WHEN s.stakind3 THEN s.stanumbers3[1]
                WHEN s.stakind4 THEN s.stanumbers4[1] WHEN s.stakind5 THEN s.stanumbers5[1] END AS correlation,
         CASE 4 WHEN s.stakind1 THEN s.stavalues1 WHEN s.stakind2 THEN s.stavalues2 WHEN s.stakind3 THEN s.stavalues3
                WHEN s.stakind4 THEN s.stavalues4 WHEN s.stakind5 THEN s.stavalues5 END AS most_common_elems,
         CASE 4 WHEN s.stakind1 THEN s.stanumbers1 WHEN s.stakind2 THEN s.stanumbers2 WHEN s.stakind3 THEN s.stanumbers3
                WHEN s.stakind4 THEN s.stanumbers4 WHEN s.stakind5 THEN s.stanumbers5 END AS most_common_elem_freqs,
         CASE 5 WHEN s.stakind1 THEN s.stanumbers1 WHEN s.stakind2 THEN s.stanumbers2 WHEN s.stakind3 THEN s.stanumbers3
                WHEN s.stakind4 THEN s.stanumbers4 WHEN s.stakind5 THEN s.stanumbers5 END AS elem_count_histogram
  FROM pg_statistic s JOIN pg_class c ON c.oid = s.starelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = s.staattnum
       LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE NOT a.attisdropped AND has_column_privilege(c.oid, a.attnum, 'select')
        AND (NOT c.relrowsecurity OR NOT row_security_active(c.oid));
REVOKE ALL ON pg_catalog.pg_statistic FROM PUBLIC;

CREATE VIEW pg_catalog.pg_user_mappings AS
  SELECT u.oid AS umid, s.oid AS srvid, s.srvname, u.umuser, CASE WHEN u.umuser = 0 THEN 'public' ELSE a.rolname END AS usename,
         CASE WHEN (u.umuser <> 0 AND a.rolname = current_user AND (pg_has_role(s.srvowner, 'USAGE') OR has_server_privilege(s.oid, 'USAGE')))
                   OR (u.umuser = 0 AND pg_has_role(s.srvowner, 'USAGE'))
                   OR (SELECT rolsuper FROM pg_authid WHERE rolname = current_user)
              THEN u.umoptions END AS umoptions
  FROM pg_user_mapping u JOIN pg_foreign_server s ON s.oid = u.umserver LEFT JOIN pg_authid a ON a.oid = u.umuser;
REVOKE ALL ON pg_catalog.pg_user_mapping FROM PUBLIC;

-- --- sessions and settings ---------------------------------------------------------------------------------------------------
CREATE VIEW pg_catalog.pg_locks AS SELECT * FROM pg_lock_status();
CREATE VIEW pg_catalog.pg_cursors AS SELECT * FROM pg_cursor();
CREATE VIEW pg_catalog.pg_prepared_statements AS SELECT * FROM pg_prepared_statement();
CREATE VIEW pg_catalog.pg_settings AS SELECT * FROM pg_show_all_settings();
GRANT SELECT, UPDATE ON pg_catalog.pg_settings TO PUBLIC;
CREATE VIEW pg_catalog.pg_file_settings AS SELECT * FROM pg_show_all_file_settings();
REVOKE ALL ON pg_catalog.pg_file_settings FROM PUBLIC;
CREATE VIEW pg_catalog.pg_hba_file_rules AS SELECT * FROM pg_hba_file_rules();
REVOKE ALL ON pg_catalog.pg_hba_file_rules FROM PUBLIC;
CREATE VIEW pg_catalog.pg_ident_file_mappings AS SELECT * FROM pg_ident_file_mappings();
REVOKE ALL ON pg_catalog.pg_ident_file_mappings FROM PUBLIC;
CREATE VIEW pg_catalog.pg_timezone_abbrevs AS SELECT * FROM pg_timezone_abbrevs();
CREATE VIEW pg_catalog.pg_timezone_names AS SELECT * FROM pg_timezone_names();
CREATE VIEW pg_catalog.pg_shmem_allocations AS SELECT * FROM pg_get_shmem_allocations();
REVOKE ALL ON pg_catalog.pg_shmem_allocations FROM PUBLIC;
GRANT SELECT ON pg_catalog.pg_shmem_allocations TO pg_read_all_stats;
CREATE VIEW pg_catalog.pg_backend_memory_contexts AS SELECT * FROM pg_get_backend_memory_contexts();
REVOKE ALL ON pg_catalog.pg_backend_memory_contexts FROM PUBLIC;
GRANT SELECT ON pg_catalog.pg_backend_memory_contexts TO pg_read_all_stats;

CREATE VIEW pg_catalog.pg_available_extensions AS
  SELECT e.name, e.default_version, x.extversion AS installed_version, e.comment
  FROM pg_available_extensions() e LEFT JOIN pg_extension x ON x.extname = e.name;
CREATE VIEW pg_catalog.pg_available_extension_versions AS
  SELECT e.name, e.version, x.extname IS NOT NULL AS installed, e.superuser, e.trusted, e.relocatable, e.schema, e.requires, e.comment
  FROM pg_available_extension_versions() e LEFT JOIN pg_extension x ON x.extname = e.name AND x.extversion = e.version;

-- --- statistics --------------------------------------------------------------------------------------------------------------
CREATE VIEW pg_catalog.pg_stat_all_tables AS
  SELECT c.oid AS relid, n.nspname AS schemaname, c.relname, pg_stat_get_numscans(c.oid) AS seq_scan,
         pg_stat_get_tuples_returned(c.oid) AS seq_tup_read, sum(pg_stat_get_numscans(i.indexrelid))::bigint AS idx_scan,
         sum(pg_stat_get_tuples_fetched(i.indexrelid))::bigint + pg_stat_get_tuples_fetched(c.oid) AS idx_tup_fetch,
         pg_stat_get_tuples_inserted(c.oid) AS n_tup_ins, pg_stat_get_tuples_updated(c.oid) AS n_tup_upd,
         pg_stat_get_tuples_deleted(c.oid) AS n_tup_del, pg_stat_get_tuples_hot_updated(c.oid) AS n_tup_hot_upd,
         pg_stat_get_live_tuples(c.oid) AS n_live_tup, pg_stat_get_dead_tuples(c.oid) AS n_dead_tup,
         pg_stat_get_mod_since_analyze(c.oid) AS n_mod_since_analyze, pg_stat_get_ins_since_vacuum(c.oid) AS n_ins_since_vacuum,
         pg_stat_get_last_vacuum_time(c.oid) AS last_vacuum, pg_stat_get_last_autovacuum_time(c.oid) AS last_autovacuum,
         pg_stat_get_last_analyze_time(c.oid) AS last_analyze, pg_stat_get_last_autoanalyze_time(c.oid) AS last_autoanalyze,
         pg_stat_get_vacuum_count(c.oid) AS vacuum_count, pg_stat_get_autovacuum_count(c.oid) AS autovacuum_count,
         pg_stat_get_analyze_count(c.oid) AS analyze_count, pg_stat_get_autoanalyze_count(c.oid) AS autoanalyze_count
  FROM pg_class c LEFT JOIN pg_index i ON i.indrelid = c.oid LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 't', 'm', 'p')
  GROUP BY c.oid, n.nspname, c.relname;
CREATE VIEW pg_catalog.pg_stat_sys_tables AS
  SELECT * FROM pg_stat_all_tables WHERE schemaname IN ('pg_catalog', 'information_schema') OR schemaname ~ '^pg_toast';
CREATE VIEW pg_catalog.pg_stat_user_tables AS
  SELECT * FROM pg_stat_all_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname !~ '^pg_toast';

CREATE VIEW pg_catalog.pg_stat_xact_all_tables AS
  SELECT c.oid AS relid, n.nspname AS schemaname, c.relname, pg_stat_get_xact_numscans(c.oid) AS seq_scan,
         pg_stat_get_xact_tuples_returned(c.oid) AS seq_tup_read, sum(pg_stat_get_xact_numscans(i.indexrelid))::bigint AS idx_scan,
         sum(pg_stat_get_xact_tuples_fetched(i.indexrelid))::bigint + pg_stat_get_xact_tuples_fetched(c.oid) AS idx_tup_fetch,
         pg_stat_get_xact_tuples_inserted(c.oid) AS n_tup_ins, pg_stat_get_xact_tuples_updated(c.oid) AS n_tup_upd,
         pg_stat_get_xact_tuples_deleted(c.oid) AS n_tup_del, pg_stat_get_xact_tuples_hot_updated(c.oid) AS n_tup_hot_upd
  FROM pg_class c LEFT JOIN pg_index i ON i.indrelid = c.oid LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 't', 'm', 'p')
  GROUP BY c.oid, n.nspname, c.relname;
CREATE VIEW pg_catalog.pg_stat_xact_sys_tables AS
  SELECT * FROM pg_stat_xact_all_tables WHERE schemaname IN ('pg_catalog', 'information_schema') OR schemaname ~ '^pg_toast';
CREATE VIEW pg_catalog.pg_stat_xact_user_tables AS
  SELECT * FROM pg_stat_xact_all_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname !~ '^pg_toast';

CREATE VIEW pg_catalog.pg_statio_all_tables AS
  SELECT c.oid AS relid, n.nspname AS schemaname, c.relname,
         pg_stat_get_blocks_fetched(c.oid) - pg_stat_get_blocks_hit(c.oid) AS heap_blks_read, pg_stat_get_blocks_hit(c.oid) AS heap_blks_hit,
         i.blks_read AS idx_blks_read, i.blks_hit AS idx_blks_hit,
         pg_stat_get_blocks_fetched(t.oid) - pg_stat_get_blocks_hit(t.oid) AS toast_blks_read, pg_stat_get_blocks_hit(t.oid) AS toast_blks_hit,
         x.blks_read AS tidx_blks_read, x.blks_hit AS tidx_blks_hit
  FROM pg_class c LEFT JOIN pg_class t ON t.oid = c.reltoastrelid LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN LATERAL (SELECT sum(pg_stat_get_blocks_fetched(indexrelid) - pg_stat_get_blocks_hit(indexrelid))::bigint AS blks_read,
                                 sum(pg_stat_get_blocks_hit(indexrelid))::bigint AS blks_hit
                          FROM pg_index WHERE indrelid = c.oid) i ON true
       LEFT JOIN LATERAL (SELECT sum(pg_stat_get_blocks_fetched(indexrelid) - pg_stat_get_blocks_hit(indexrelid))::bigint AS blks_read,
                                 sum(pg_stat_get_blocks_hit(indexrelid))::bigint AS blks_hit
                          FROM pg_index WHERE indrelid = t.oid) x ON true
  WHERE c.relkind IN ('r', 't', 'm');
CREATE VIEW pg_catalog.pg_statio_sys_tables AS
  SELECT * FROM pg_statio_all_tables WHERE schemaname IN ('pg_catalog', 'information_schema') OR schemaname ~ '^pg_toast';
CREATE VIEW pg_catalog.pg_statio_user_tables AS
  SELECT * FROM pg_statio_all_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname !~ '^pg_toast';

CREATE VIEW pg_catalog.pg_stat_all_indexes AS
  SELECT c.oid AS relid, i.oid AS indexrelid, n.nspname AS schemaname, c.relname, i.relname AS indexrelname,
         pg_stat_get_numscans(i.oid) AS idx_scan, pg_stat_get_tuples_returned(i.oid) AS idx_tup_read, pg_stat_get_tuples_fetched(i.oid) AS idx_tup_fetch
  FROM pg_class c JOIN pg_index x ON x.indrelid = c.oid JOIN pg_class i ON i.oid = x.indexrelid LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 't', 'm');
CREATE VIEW pg_catalog.pg_stat_sys_indexes AS
  SELECT * FROM pg_stat_all_indexes WHERE schemaname IN ('pg_catalog', 'information_schema') OR schemaname ~ '^pg_toast';
CREATE VIEW pg_catalog.pg_stat_user_indexes AS
  SELECT * FROM pg_stat_all_indexes WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname !~ '^pg_toast';

CREATE VIEW pg_catalog.pg_statio_all_indexes AS
  SELECT c.oid AS relid, i.oid AS indexrelid, n.nspname AS schemaname, c.relname, i.relname AS indexrelname,
         pg_stat_get_blocks_fetched(i.oid) - pg_stat_get_blocks_hit(i.oid) AS idx_blks_read, pg_stat_get_blocks_hit(i.oid) AS idx_blks_hit
  FROM pg_class c JOIN pg_index x ON x.indrelid = c.oid JOIN pg_class i ON i.oid = x.indexrelid LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 't', 'm');
CREATE VIEW pg_catalog.pg_statio_sys_indexes AS
  SELECT * FROM pg_statio_all_indexes WHERE schemaname IN ('pg_catalog', 'information_schema') OR schemaname ~ '^pg_toast';
CREATE VIEW pg_catalog.pg_statio_user_indexes AS
  SELECT * FROM pg_statio_all_indexes WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname !~ '^pg_toast';

CREATE VIEW pg_catalog.pg_statio_all_sequences AS
  SELECT c.oid AS relid, n.nspname AS schemaname, c.relname,
         pg_stat_get_blocks_fetched(c.oid) - pg_stat_get_blocks_hit(c.oid) AS blks_read, pg_stat_get_blocks_hit(c.oid) AS blks_hit
  FROM pg_class c LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'S';
CREATE VIEW pg_catalog.pg_statio_sys_sequences AS
  SELECT * FROM pg_statio_all_sequences WHERE schemaname IN ('pg_catalog', 'information_schema') OR schemaname ~ '^pg_toast';
CREATE VIEW pg_catalog.pg_statio_user_sequences AS
  SELECT * FROM pg_statio_all_sequences WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname !~ '^pg_toast';

CREATE VIEW pg_catalog.pg_stat_activity AS
  SELECT s.datid, d.datname, s.pid, s.leader_pid, s.usesysid, a.rolname AS usename, s.application_name, s.client_addr, s.client_hostname,
         s.client_port, s.backend_start, s.xact_start, s.query_start, s.state_change, s.wait_event_type, s.wait_event, s.state, s.backend_xid,
         s.backend_xmin, s.query_id, s.query, s.backend_type
  FROM pg_stat_get_activity(NULL) s LEFT JOIN pg_database d ON d.oid = s.datid LEFT JOIN pg_authid a ON a.oid = s.usesysid;

CREATE VIEW pg_catalog.pg_stat_ssl AS
  SELECT pid, ssl, sslversion AS version, sslcipher AS cipher, sslbits AS bits, ssl_client_dn AS client_dn, ssl_client_serial AS client_serial,
         ssl_issuer_dn AS issuer_dn
  FROM pg_stat_get_activity(NULL) WHERE client_port IS NOT NULL;

CREATE VIEW pg_catalog.pg_stat_gssapi AS
  SELECT pid, gss_auth AS gss_authenticated, gss_princ AS principal, gss_enc AS encrypted FROM pg_stat_get_activity(NULL) WHERE client_port IS NOT NULL;

CREATE VIEW pg_catalog.pg_stat_database AS
  SELECT d.oid AS datid, d.datname,
         CASE WHEN d.oid = 0 THEN 0 ELSE pg_stat_get_db_numbackends(d.oid) END AS numbackends,
         pg_stat_get_db_xact_commit(d.oid) AS xact_commit, pg_stat_get_db_xact_rollback(d.oid) AS xact_rollback,
         pg_stat_get_db_blocks_fetched(d.oid) - pg_stat_get_db_blocks_hit(d.oid) AS blks_read, pg_stat_get_db_blocks_hit(d.oid) AS blks_hit,
         pg_stat_get_db_tuples_returned(d.oid) AS tup_returned, pg_stat_get_db_tuples_fetched(d.oid) AS tup_fetched,
         pg_stat_get_db_tuples_inserted(d.oid) AS tup_inserted, pg_stat_get_db_tuples_updated(d.oid) AS tup_updated,
         pg_stat_get_db_tuples_deleted(d.oid) AS tup_deleted, pg_stat_get_db_conflict_all(d.oid) AS conflicts,
         pg_stat_get_db_temp_files(d.oid) AS temp_files, pg_stat_get_db_temp_bytes(d.oid) AS temp_bytes, pg_stat_get_db_deadlocks(d.oid) AS deadlocks,
         pg_stat_get_db_checksum_failures(d.oid) AS checksum_failures, pg_stat_get_db_checksum_last_failure(d.oid) AS checksum_last_failure,
         pg_stat_get_db_blk_read_time(d.oid) AS blk_read_time, pg_stat_get_db_blk_write_time(d.oid) AS blk_write_time,
         pg_stat_get_db_session_time(d.oid) AS session_time, pg_stat_get_db_active_time(d.oid) AS active_time,
         pg_stat_get_db_idle_in_transaction_time(d.oid) AS idle_in_transaction_time, pg_stat_get_db_sessions(d.oid) AS sessions,
         pg_stat_get_db_sessions_abandoned(d.oid) AS sessions_abandoned, pg_stat_get_db_sessions_fatal(d.oid) AS sessions_fatal,
         pg_stat_get_db_sessions_killed(d.oid) AS sessions_killed, pg_stat_get_db_stat_reset_time(d.oid) AS stats_reset
  FROM (SELECT 0::oid AS oid, NULL::name AS datname UNION ALL SELECT oid, datname FROM pg_database) d;

CREATE VIEW pg_catalog.pg_stat_database_conflicts AS
  SELECT oid AS datid, datname, pg_stat_get_db_conflict_tablespace(oid) AS confl_tablespace, pg_stat_get_db_conflict_lock(oid) AS confl_lock,
         pg_stat_get_db_conflict_snapshot(oid) AS confl_snapshot, pg_stat_get_db_conflict_bufferpin(oid) AS confl_bufferpin,
         pg_stat_get_db_conflict_startup_deadlock(oid) AS confl_deadlock
  FROM pg_database;

CREATE VIEW pg_catalog.pg_stat_user_functions AS
  SELECT p.oid AS funcid, n.nspname AS schemaname, p.proname AS funcname, pg_stat_get_function_calls(p.oid) AS calls,
         pg_stat_get_function_total_time(p.oid) AS total_time, pg_stat_get_function_self_time(p.oid) AS self_time
  FROM pg_proc p LEFT JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE p.prolang <> 12 AND pg_stat_get_function_calls(p.oid) IS NOT NULL;
CREATE VIEW pg_catalog.pg_stat_xact_user_functions AS
  SELECT p.oid AS funcid, n.nspname AS schemaname, p.proname AS funcname, pg_stat_get_xact_function_calls(p.oid) AS calls,
         pg_stat_get_xact_function_total_time(p.oid) AS total_time, pg_stat_get_xact_function_self_time(p.oid) AS self_time
  FROM pg_proc p LEFT JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE p.prolang <> 12 AND pg_stat_get_xact_function_calls(p.oid) IS NOT NULL;

CREATE VIEW pg_catalog.pg_stat_archiver AS SELECT * FROM pg_stat_get_archiver();
CREATE VIEW pg_catalog.pg_stat_wal AS SELECT * FROM pg_stat_get_wal();
CREATE VIEW pg_catalog.pg_stat_slru AS SELECT * FROM pg_stat_get_slru();
CREATE VIEW pg_catalog.pg_stat_bgwriter AS
  SELECT pg_stat_get_bgwriter_timed_checkpoints() AS checkpoints_timed, pg_stat_get_bgwriter_requested_checkpoints() AS checkpoints_req,
         pg_stat_get_checkpoint_write_time() AS checkpoint_write_time, pg_stat_get_checkpoint_sync_time() AS checkpoint_sync_time,
         pg_stat_get_bgwriter_buf_written_checkpoints() AS buffers_checkpoint, pg_stat_get_bgwriter_buf_written_clean() AS buffers_clean,
         pg_stat_get_bgwriter_maxwritten_clean() AS maxwritten_clean, pg_stat_get_buf_written_backend() AS buffers_backend,
         pg_stat_get_buf_fsync_backend() AS buffers_backend_fsync, pg_stat_get_buf_alloc() AS buffers_alloc,
         pg_stat_get_bgwriter_stat_reset_time() AS stats_reset;

-- --- features this server does not have: always empty ------------------------------------------------------------------------
CREATE VIEW pg_catalog.pg_publication_tables AS
  SELECT NULL::name AS pubname, NULL::name AS schemaname, NULL::name AS tablename, NULL::name[] AS attnames, NULL::text AS rowfilter
  WHERE false;

CREATE VIEW pg_catalog.pg_replication_origin_status AS
  SELECT NULL::oid AS local_id, NULL::text AS external_id, NULL::pg_lsn AS remote_lsn, NULL::pg_lsn AS local_lsn
  WHERE false;

CREATE VIEW pg_catalog.pg_replication_slots AS
  SELECT NULL::name AS slot_name, NULL::name AS plugin, NULL::text AS slot_type, NULL::oid AS datoid, NULL::name AS database,
    NULL::boolean AS temporary, NULL::boolean AS active, NULL::integer AS active_pid, NULL::xid AS xmin, NULL::xid AS catalog_xmin,
    NULL::pg_lsn AS restart_lsn, NULL::pg_lsn AS confirmed_flush_lsn, NULL::text AS wal_status, NULL::bigint AS safe_wal_size,
    NULL::boolean AS two_phase
  WHERE false;

CREATE VIEW pg_catalog.pg_stat_replication AS
  SELECT NULL::integer AS pid, NULL::oid AS usesysid, NULL::name AS usename, NULL::text AS application_name, NULL::inet AS client_addr,
    NULL::text AS client_hostname, NULL::integer AS client_port, NULL::timestamp with time zone AS backend_start, NULL::xid AS
    backend_xmin, NULL::text AS state, NULL::pg_lsn AS sent_lsn, NULL::pg_lsn AS write_lsn, NULL::pg_lsn AS flush_lsn, NULL::pg_lsn AS
    replay_lsn, NULL::interval AS write_lag, NULL::interval AS flush_lag, NULL::interval AS replay_lag, NULL::integer AS sync_priority,
    NULL::text AS sync_state, NULL::timestamp with time zone AS reply_time
  WHERE false;

CREATE VIEW pg_catalog.pg_stat_replication_slots AS
  SELECT NULL::text AS slot_name, NULL::bigint AS spill_txns, NULL::bigint AS spill_count, NULL::bigint AS spill_bytes, NULL::bigint AS
    stream_txns, NULL::bigint AS stream_count, NULL::bigint AS stream_bytes, NULL::bigint AS total_txns, NULL::bigint AS total_bytes,
    NULL::timestamp with time zone AS stats_reset
  WHERE false;

CREATE VIEW pg_catalog.pg_stat_subscription AS
  SELECT NULL::oid AS subid, NULL::name AS subname, NULL::integer AS pid, NULL::oid AS relid, NULL::pg_lsn AS received_lsn,
    NULL::timestamp with time zone AS last_msg_send_time, NULL::timestamp with time zone AS last_msg_receipt_time, NULL::pg_lsn AS
    latest_end_lsn, NULL::timestamp with time zone AS latest_end_time
  WHERE false;

CREATE VIEW pg_catalog.pg_stat_subscription_stats AS
  SELECT NULL::oid AS subid, NULL::name AS subname, NULL::bigint AS apply_error_count, NULL::bigint AS sync_error_count, NULL::timestamp
    with time zone AS stats_reset
  WHERE false;

CREATE VIEW pg_catalog.pg_stat_wal_receiver AS
  SELECT NULL::integer AS pid, NULL::text AS status, NULL::pg_lsn AS receive_start_lsn, NULL::integer AS receive_start_tli, NULL::pg_lsn
    AS written_lsn, NULL::pg_lsn AS flushed_lsn, NULL::integer AS received_tli, NULL::timestamp with time zone AS last_msg_send_time,
    NULL::timestamp with time zone AS last_msg_receipt_time, NULL::pg_lsn AS latest_end_lsn, NULL::timestamp with time zone AS
    latest_end_time, NULL::text AS slot_name, NULL::text AS sender_host, NULL::integer AS sender_port, NULL::text AS conninfo
  WHERE false;

CREATE VIEW pg_catalog.pg_stat_recovery_prefetch AS
  SELECT NULL::timestamp with time zone AS stats_reset, NULL::bigint AS prefetch, NULL::bigint AS hit, NULL::bigint AS skip_init,
    NULL::bigint AS skip_new, NULL::bigint AS skip_fpw, NULL::bigint AS skip_rep, NULL::integer AS wal_distance, NULL::integer AS
    block_distance, NULL::integer AS io_depth
  WHERE false;

CREATE VIEW pg_catalog.pg_prepared_xacts AS
  SELECT NULL::xid AS transaction, NULL::text AS gid, NULL::timestamp with time zone AS prepared, NULL::name AS owner, NULL::name AS
    database
  WHERE false;

CREATE VIEW pg_catalog.pg_stats_ext AS
  SELECT NULL::name AS schemaname, NULL::name AS tablename, NULL::name AS statistics_schemaname, NULL::name AS statistics_name,
    NULL::name AS statistics_owner, NULL::name[] AS attnames, NULL::text[] AS exprs, NULL::"char"[] AS kinds, NULL::boolean AS
    inherited, NULL::pg_ndistinct AS n_distinct, NULL::pg_dependencies AS dependencies, NULL::text[] AS most_common_vals,
    NULL::boolean[] AS most_common_val_nulls, NULL::double precision[] AS most_common_freqs, NULL::double precision[] AS
    most_common_base_freqs
  WHERE false;

CREATE VIEW pg_catalog.pg_stats_ext_exprs AS
  SELECT NULL::name AS schemaname, NULL::name AS tablename, NULL::name AS statistics_schemaname, NULL::name AS statistics_name,
    NULL::name AS statistics_owner, NULL::text AS expr, NULL::boolean AS inherited, NULL::real AS null_frac, NULL::integer AS avg_width,
    NULL::real AS n_distinct, NULL::anyarray AS most_common_vals, NULL::real[] AS most_common_freqs, NULL::anyarray AS histogram_bounds,
    NULL::real AS correlation, NULL::anyarray AS most_common_elems, NULL::real[] AS most_common_elem_freqs, NULL::real[] AS
    elem_count_histogram
  WHERE false;

CREATE VIEW pg_catalog.pg_stat_progress_analyze AS
  SELECT NULL::integer AS pid, NULL::oid AS datid, NULL::name AS datname, NULL::oid AS relid, NULL::text AS phase, NULL::bigint AS
    sample_blks_total, NULL::bigint AS sample_blks_scanned, NULL::bigint AS ext_stats_total, NULL::bigint AS ext_stats_computed,
    NULL::bigint AS child_tables_total, NULL::bigint AS child_tables_done, NULL::oid AS current_child_table_relid
  WHERE false;

CREATE VIEW pg_catalog.pg_stat_progress_basebackup AS
  SELECT NULL::integer AS pid, NULL::text AS phase, NULL::bigint AS backup_total, NULL::bigint AS backup_streamed, NULL::bigint AS
    tablespaces_total, NULL::bigint AS tablespaces_streamed
  WHERE false;

CREATE VIEW pg_catalog.pg_stat_progress_cluster AS
  SELECT NULL::integer AS pid, NULL::oid AS datid, NULL::name AS datname, NULL::oid AS relid, NULL::text AS command, NULL::text AS
    phase, NULL::oid AS cluster_index_relid, NULL::bigint AS heap_tuples_scanned, NULL::bigint AS heap_tuples_written, NULL::bigint AS
    heap_blks_total, NULL::bigint AS heap_blks_scanned, NULL::bigint AS index_rebuild_count
  WHERE false;

CREATE VIEW pg_catalog.pg_stat_progress_copy AS
  SELECT NULL::integer AS pid, NULL::oid AS datid, NULL::name AS datname, NULL::oid AS relid, NULL::text AS command, NULL::text AS type,
    NULL::bigint AS bytes_processed, NULL::bigint AS bytes_total, NULL::bigint AS tuples_processed, NULL::bigint AS tuples_excluded
  WHERE false;

CREATE VIEW pg_catalog.pg_stat_progress_create_index AS
  SELECT NULL::integer AS pid, NULL::oid AS datid, NULL::name AS datname, NULL::oid AS relid, NULL::oid AS index_relid, NULL::text AS
    command, NULL::text AS phase, NULL::bigint AS lockers_total, NULL::bigint AS lockers_done, NULL::bigint AS current_locker_pid,
    NULL::bigint AS blocks_total, NULL::bigint AS blocks_done, NULL::bigint AS tuples_total, NULL::bigint AS tuples_done, NULL::bigint
    AS partitions_total, NULL::bigint AS partitions_done
  WHERE false;

CREATE VIEW pg_catalog.pg_stat_progress_vacuum AS
  SELECT NULL::integer AS pid, NULL::oid AS datid, NULL::name AS datname, NULL::oid AS relid, NULL::text AS phase, NULL::bigint AS
    heap_blks_total, NULL::bigint AS heap_blks_scanned, NULL::bigint AS heap_blks_vacuumed, NULL::bigint AS index_vacuum_count,
    NULL::bigint AS max_dead_tuples, NULL::bigint AS num_dead_tuples
  WHERE false;

CREATE VIEW pg_catalog.pg_config AS
  SELECT NULL::text AS name, NULL::text AS setting
  WHERE false;

CREATE VIEW pg_catalog.pg_seclabels AS
  SELECT NULL::oid AS objoid, NULL::oid AS classoid, NULL::integer AS objsubid, NULL::text AS objtype, NULL::oid AS objnamespace,
    NULL::text AS objname, NULL::text AS provider, NULL::text AS label
  WHERE false;

-- Everybody may read what was not closed above.
GRANT SELECT ON pg_catalog.pg_roles, pg_catalog.pg_group, pg_catalog.pg_user, pg_catalog.pg_policies, pg_catalog.pg_rules,
pg_catalog.pg_views, pg_catalog.pg_tables, pg_catalog.pg_matviews, pg_catalog.pg_indexes, pg_catalog.pg_sequences, pg_catalog.pg_stats,
pg_catalog.pg_user_mappings, pg_catalog.pg_locks, pg_catalog.pg_cursors, pg_catalog.pg_prepared_statements,
pg_catalog.pg_timezone_abbrevs, pg_catalog.pg_timezone_names, pg_catalog.pg_available_extensions,
pg_catalog.pg_available_extension_versions, pg_catalog.pg_stat_all_tables, pg_catalog.pg_stat_sys_tables, pg_catalog.pg_stat_user_tables,
pg_catalog.pg_stat_xact_all_tables, pg_catalog.pg_stat_xact_sys_tables, pg_catalog.pg_stat_xact_user_tables,
pg_catalog.pg_statio_all_tables, pg_catalog.pg_statio_sys_tables, pg_catalog.pg_statio_user_tables, pg_catalog.pg_stat_all_indexes,
pg_catalog.pg_stat_sys_indexes, pg_catalog.pg_stat_user_indexes, pg_catalog.pg_statio_all_indexes, pg_catalog.pg_statio_sys_indexes,
pg_catalog.pg_statio_user_indexes, pg_catalog.pg_statio_all_sequences, pg_catalog.pg_statio_sys_sequences,
pg_catalog.pg_statio_user_sequences, pg_catalog.pg_stat_activity, pg_catalog.pg_stat_ssl, pg_catalog.pg_stat_database,
pg_catalog.pg_stat_database_conflicts, pg_catalog.pg_stat_user_functions, pg_catalog.pg_stat_xact_user_functions,
pg_catalog.pg_stat_archiver, pg_catalog.pg_stat_wal, pg_catalog.pg_stat_slru, pg_catalog.pg_stat_bgwriter,
pg_catalog.pg_publication_tables, pg_catalog.pg_replication_slots, pg_catalog.pg_stat_replication, pg_catalog.pg_stat_replication_slots,
pg_catalog.pg_stat_subscription, pg_catalog.pg_stat_subscription_stats, pg_catalog.pg_stat_wal_receiver,
pg_catalog.pg_stat_recovery_prefetch, pg_catalog.pg_prepared_xacts, pg_catalog.pg_stats_ext, pg_catalog.pg_stats_ext_exprs,
pg_catalog.pg_stat_progress_analyze, pg_catalog.pg_stat_progress_basebackup, pg_catalog.pg_stat_progress_cluster,
pg_catalog.pg_stat_progress_copy, pg_catalog.pg_stat_progress_create_index, pg_catalog.pg_stat_progress_vacuum, pg_catalog.pg_seclabels,
pg_catalog.pg_stat_gssapi TO PUBLIC;
REVOKE ALL ON pg_catalog.pg_config, pg_catalog.pg_replication_origin_status FROM PUBLIC;


RESET search_path;
