-- Positions of the log: written <= inserted, flushed <= written, and they rise with what is done.
select pg_current_wal_flush_lsn() <= pg_current_wal_lsn() and pg_current_wal_lsn() <= pg_current_wal_insert_lsn() as in_order;
create table log_filler (n int, t text);
select pg_current_wal_insert_lsn() as before \gset
insert into log_filler select g, repeat('x', 100) from generate_series(1, 1000) g;
select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), :'before') between 100000 and 1000000 as logged_about_once;
select pg_current_wal_flush_lsn() > :'before' as committed_is_flushed;
select pg_wal_lsn_diff('1/0', '0/FFFFFFFF'), pg_wal_lsn_diff('0/0', '1/0');
-- Arithmetic with bytes.
select '0/16AE7F8'::pg_lsn - '0/16AE7F7'::pg_lsn, '0/0'::pg_lsn - 'FFFFFFFF/FFFFFFFF'::pg_lsn;
select '0/1'::pg_lsn + 1.5, '0/1'::pg_lsn + 1.4, 16::numeric + '0/1'::pg_lsn, '0/FF'::pg_lsn - 0.5, '0/FF'::pg_lsn - 1.5;
select pg_lsn(23783416::numeric), pg_lsn(0.5), pg_lsn(-0.4), pg_lsn(18446744073709551615);
select '0/1'::pg_lsn - 2::numeric;
select 'FFFFFFFF/FFFFFFFF'::pg_lsn + 1::numeric;
select '0/1'::pg_lsn + 'NaN'::numeric;
select '0/1'::pg_lsn - 'NaN'::numeric;
select '0/1'::pg_lsn + 'infinity'::numeric;
select pg_lsn('NaN'::numeric);
select pg_lsn(18446744073709551616);
select pg_lsn(-1);
-- Names of files: a position between two files belongs to the first.
select pg_walfile_name('0/1'), pg_walfile_name('0/1000000'), pg_walfile_name('0/1000001'), pg_walfile_name('FFFFFFFF/FFFFFFFF');
select pg_walfile_name_offset('0/1000000'), pg_walfile_name_offset('0/1000001');
select * from pg_walfile_name_offset('12/3456789A');
select (pg_walfile_name_offset('12/3456789A')).file_offset;
select pg_walfile_name(null), pg_walfile_name('0/0');
select count(*) > 0 as has_files, min(size) = 16777216 and max(size) = 16777216 as whole_files,
       bool_or(name = pg_walfile_name(pg_current_wal_lsn())) as current_is_there from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$';
-- Standbys only.
select pg_is_in_recovery(), pg_last_wal_replay_lsn(), pg_last_wal_receive_lsn();
select pg_is_wal_replay_paused();
-- pg_control.
checkpoint;
select redo_lsn <= checkpoint_lsn and checkpoint_lsn < pg_current_wal_insert_lsn() as in_order, redo_wal_file = pg_walfile_name(redo_lsn) as right_file, timeline_id,
       full_page_writes, next_xid ~ '^\d+:\d+$' as xid, next_oid >= 16384 as oid, checkpoint_time between now() - interval '10 min' and now() + interval '10 min' as lately
  from pg_control_checkpoint();
select catalog_version_no, system_identifier <> 0 as identified, pg_control_last_modified between now() - interval '10 min' and now() + interval '10 min' as lately
  from pg_control_system();
select max_data_alignment, database_block_size, blocks_per_segment, bytes_per_wal_segment, max_identifier_length, max_index_columns, max_toast_chunk_size,
       large_object_chunk_size, float8_pass_by_value from pg_control_init();
select * from pg_control_recovery();
create role log_reader;
set role log_reader;
select count(*) from pg_ls_waldir();
reset role;
drop role log_reader;
drop table log_filler;
