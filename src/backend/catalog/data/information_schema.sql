-- information_schema with PostgreSQL 15's views, columns and types. Run once by initdb in template1, after system_views.sql.
CREATE SCHEMA information_schema;
GRANT USAGE ON SCHEMA information_schema TO PUBLIC;
SET search_path = information_schema;

CREATE DOMAIN information_schema.cardinal_number AS integer CONSTRAINT cardinal_number_domain_check CHECK (value >= 0);
CREATE DOMAIN information_schema.character_data AS character varying COLLATE "C";
CREATE DOMAIN information_schema.sql_identifier AS name;
CREATE DOMAIN information_schema.time_stamp AS timestamp(2) with time zone DEFAULT current_timestamp(2);
CREATE DOMAIN information_schema.yes_or_no AS character varying(3) COLLATE "C" CONSTRAINT yes_or_no_check CHECK (value IN ('YES', 'NO'));

CREATE VIEW information_schema.information_schema_catalog_name AS
  SELECT (current_database())::information_schema.sql_identifier AS catalog_name
  ;

CREATE VIEW information_schema.applicable_roles AS
  SELECT (g.rolname)::information_schema.sql_identifier AS grantee, (r.rolname)::information_schema.sql_identifier AS role_name,
         (CASE WHEN m.admin_option THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_grantable
  FROM (SELECT member, roleid, admin_option FROM pg_auth_members UNION SELECT d.datdba, o.oid, false FROM pg_authid o, pg_database d
        WHERE d.datname = current_database() AND o.rolname = 'pg_database_owner') m JOIN pg_authid g ON g.oid = m.member JOIN pg_authid r ON r.oid = m.roleid
  WHERE pg_has_role(g.oid, 'USAGE');

CREATE VIEW information_schema.administrable_role_authorizations AS
  SELECT (grantee)::information_schema.sql_identifier AS grantee, (role_name)::information_schema.sql_identifier AS role_name,
         (is_grantable)::information_schema.yes_or_no AS is_grantable
  FROM information_schema.applicable_roles WHERE is_grantable = 'YES';

CREATE VIEW information_schema.enabled_roles AS
  SELECT (a.rolname)::information_schema.sql_identifier AS role_name
  FROM pg_authid a WHERE pg_has_role(a.oid, 'USAGE');

CREATE VIEW information_schema.columns AS
  SELECT (current_database())::information_schema.sql_identifier AS table_catalog,
         (n.nspname)::information_schema.sql_identifier AS table_schema, (c.relname)::information_schema.sql_identifier AS table_name,
         (a.attname)::information_schema.sql_identifier AS column_name,
         (a.attnum)::information_schema.cardinal_number AS ordinal_position,
         (CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END)::information_schema.character_data AS column_default,
         (CASE WHEN a.attnotnull OR (t.typtype = 'd' AND t.typnotnull) THEN 'NO' ELSE 'YES' END)::information_schema.yes_or_no AS is_nullable,
         (CASE WHEN u.typelem <> 0 AND u.typlen = -1 THEN 'ARRAY' WHEN un.nspname = 'pg_catalog' THEN format_type(u.oid, NULL) ELSE 'USER-DEFINED' END)::information_schema.character_data AS data_type,
         (CASE WHEN b.mod = -1 THEN NULL WHEN b.typ IN (1042, 1043) THEN b.mod - 4 WHEN b.typ IN (1560, 1562) THEN b.mod END)::information_schema.cardinal_number AS character_maximum_length,
         (CASE WHEN b.typ IN (25, 1042, 1043) THEN CASE WHEN b.mod = -1 THEN 1 << 30 ELSE (b.mod - 4) * pg_encoding_max_length((SELECT encoding FROM pg_database WHERE datname = current_database())) END END)::information_schema.cardinal_number AS character_octet_length,
         (CASE b.typ WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 700 THEN 24 WHEN 701 THEN 53 WHEN 1700 THEN CASE WHEN b.mod <> -1 THEN ((b.mod - 4) >> 16) & 65535 END END)::information_schema.cardinal_number AS numeric_precision,
         (CASE WHEN b.typ IN (20, 21, 23, 700, 701) THEN 2 WHEN b.typ = 1700 THEN 10 END)::information_schema.cardinal_number AS numeric_precision_radix,
         (CASE WHEN b.typ IN (20, 21, 23) THEN 0 WHEN b.typ = 1700 AND b.mod <> -1 THEN (b.mod - 4) & 65535 END)::information_schema.cardinal_number AS numeric_scale,
         (CASE WHEN b.typ = 1082 THEN 0 WHEN b.typ IN (1083, 1114, 1184, 1266) THEN CASE WHEN b.mod < 0 THEN 6 ELSE b.mod END WHEN b.typ = 1186 THEN CASE WHEN b.mod < 0 OR b.mod & 65535 = 65535 THEN 6 ELSE b.mod & 65535 END END)::information_schema.cardinal_number AS datetime_precision,
         (CASE WHEN b.typ = 1186 THEN upper(nullif(trim(substr(format_type(b.typ, b.mod), 9)), '')) END)::information_schema.character_data AS interval_type,
         NULL::information_schema.cardinal_number AS interval_precision, NULL::information_schema.sql_identifier AS character_set_catalog,
         NULL::information_schema.sql_identifier AS character_set_schema, NULL::information_schema.sql_identifier AS character_set_name,
         (CASE WHEN k.collname IS NOT NULL THEN current_database() END)::information_schema.sql_identifier AS collation_catalog,
         (kn.nspname)::information_schema.sql_identifier AS collation_schema,
         (k.collname)::information_schema.sql_identifier AS collation_name,
         (CASE WHEN t.typtype = 'd' THEN current_database() END)::information_schema.sql_identifier AS domain_catalog,
         (CASE WHEN t.typtype = 'd' THEN tn.nspname END)::information_schema.sql_identifier AS domain_schema,
         (CASE WHEN t.typtype = 'd' THEN t.typname END)::information_schema.sql_identifier AS domain_name,
         (current_database())::information_schema.sql_identifier AS udt_catalog,
         (un.nspname)::information_schema.sql_identifier AS udt_schema, (u.typname)::information_schema.sql_identifier AS udt_name,
         NULL::information_schema.sql_identifier AS scope_catalog, NULL::information_schema.sql_identifier AS scope_schema,
         NULL::information_schema.sql_identifier AS scope_name, NULL::information_schema.cardinal_number AS maximum_cardinality,
         (a.attnum::text)::information_schema.sql_identifier AS dtd_identifier,
         ('NO')::information_schema.yes_or_no AS is_self_referencing,
         (CASE WHEN a.attidentity IN ('a', 'd') THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_identity,
         (CASE a.attidentity WHEN 'a' THEN 'ALWAYS' WHEN 'd' THEN 'BY DEFAULT' END)::information_schema.character_data AS identity_generation,
         (s.seqstart::text)::information_schema.character_data AS identity_start,
         (s.seqincrement::text)::information_schema.character_data AS identity_increment,
         (s.seqmax::text)::information_schema.character_data AS identity_maximum,
         (s.seqmin::text)::information_schema.character_data AS identity_minimum,
         (CASE WHEN s.seqcycle THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS identity_cycle,
         (CASE WHEN a.attgenerated <> '' THEN 'ALWAYS' ELSE 'NEVER' END)::information_schema.character_data AS is_generated,
         (CASE WHEN a.attgenerated <> '' THEN pg_get_expr(d.adbin, d.adrelid) END)::information_schema.character_data AS generation_expression,
         (CASE WHEN c.relkind IN ('r', 'p') OR (c.relkind IN ('v', 'f') AND pg_column_is_updatable(c.oid, a.attnum, false)) THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_updatable
  FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
       JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace tn ON tn.oid = t.typnamespace
       CROSS JOIN LATERAL (SELECT CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE a.atttypid END AS typ, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END AS mod) b
       JOIN pg_type u ON u.oid = b.typ JOIN pg_namespace un ON un.oid = u.typnamespace
       LEFT JOIN (pg_collation k JOIN pg_namespace kn ON kn.oid = k.collnamespace) ON k.oid = a.attcollation AND (kn.nspname, k.collname) <> ('pg_catalog', 'default')
       LEFT JOIN (pg_depend x JOIN pg_sequence s ON s.seqrelid = x.objid AND x.classid = 1259 AND x.deptype = 'i')
         ON x.refclassid = 1259 AND x.refobjid = c.oid AND x.refobjsubid = a.attnum
  WHERE NOT pg_is_other_temp_schema(n.oid) AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'v', 'f', 'p') AND (pg_has_role(c.relowner, 'USAGE') OR has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.attributes AS
  SELECT (current_database())::information_schema.sql_identifier AS udt_catalog,
         (n.nspname)::information_schema.sql_identifier AS udt_schema, (c.relname)::information_schema.sql_identifier AS udt_name,
         (a.attname)::information_schema.sql_identifier AS attribute_name,
         (a.attnum)::information_schema.cardinal_number AS ordinal_position,
         (pg_get_expr(d.adbin, d.adrelid))::information_schema.character_data AS attribute_default,
         (CASE WHEN a.attnotnull OR (t.typtype = 'd' AND t.typnotnull) THEN 'NO' ELSE 'YES' END)::information_schema.yes_or_no AS is_nullable,
         (CASE WHEN u.typelem <> 0 AND u.typlen = -1 THEN 'ARRAY' WHEN un.nspname = 'pg_catalog' THEN format_type(u.oid, NULL) ELSE 'USER-DEFINED' END)::information_schema.character_data AS data_type,
         (CASE WHEN b.mod = -1 THEN NULL WHEN b.typ IN (1042, 1043) THEN b.mod - 4 WHEN b.typ IN (1560, 1562) THEN b.mod END)::information_schema.cardinal_number AS character_maximum_length,
         (CASE WHEN b.typ IN (25, 1042, 1043) THEN CASE WHEN b.mod = -1 THEN 1 << 30 ELSE (b.mod - 4) * pg_encoding_max_length((SELECT encoding FROM pg_database WHERE datname = current_database())) END END)::information_schema.cardinal_number AS character_octet_length,
         NULL::information_schema.sql_identifier AS character_set_catalog,
         NULL::information_schema.sql_identifier AS character_set_schema, NULL::information_schema.sql_identifier AS character_set_name,
         (CASE WHEN k.collname IS NOT NULL THEN current_database() END)::information_schema.sql_identifier AS collation_catalog,
         (kn.nspname)::information_schema.sql_identifier AS collation_schema,
         (k.collname)::information_schema.sql_identifier AS collation_name,
         (CASE b.typ WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 700 THEN 24 WHEN 701 THEN 53 WHEN 1700 THEN CASE WHEN b.mod <> -1 THEN ((b.mod - 4) >> 16) & 65535 END END)::information_schema.cardinal_number AS numeric_precision,
         (CASE WHEN b.typ IN (20, 21, 23, 700, 701) THEN 2 WHEN b.typ = 1700 THEN 10 END)::information_schema.cardinal_number AS numeric_precision_radix,
         (CASE WHEN b.typ IN (20, 21, 23) THEN 0 WHEN b.typ = 1700 AND b.mod <> -1 THEN (b.mod - 4) & 65535 END)::information_schema.cardinal_number AS numeric_scale,
         (CASE WHEN b.typ = 1082 THEN 0 WHEN b.typ IN (1083, 1114, 1184, 1266) THEN CASE WHEN b.mod < 0 THEN 6 ELSE b.mod END WHEN b.typ = 1186 THEN CASE WHEN b.mod < 0 OR b.mod & 65535 = 65535 THEN 6 ELSE b.mod & 65535 END END)::information_schema.cardinal_number AS datetime_precision,
         (CASE WHEN b.typ = 1186 THEN upper(nullif(trim(substr(format_type(b.typ, b.mod), 9)), '')) END)::information_schema.character_data AS interval_type,
         NULL::information_schema.cardinal_number AS interval_precision,
         (current_database())::information_schema.sql_identifier AS attribute_udt_catalog,
         (un.nspname)::information_schema.sql_identifier AS attribute_udt_schema,
         (u.typname)::information_schema.sql_identifier AS attribute_udt_name, NULL::information_schema.sql_identifier AS scope_catalog,
         NULL::information_schema.sql_identifier AS scope_schema, NULL::information_schema.sql_identifier AS scope_name,
         NULL::information_schema.cardinal_number AS maximum_cardinality,
         (a.attnum::text)::information_schema.sql_identifier AS dtd_identifier,
         ('NO')::information_schema.yes_or_no AS is_derived_reference_attribute
  FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
       JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_type ct ON ct.typrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
       CROSS JOIN LATERAL (SELECT CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE a.atttypid END AS typ, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END AS mod) b
       JOIN pg_type u ON u.oid = b.typ JOIN pg_namespace un ON un.oid = u.typnamespace
       LEFT JOIN (pg_collation k JOIN pg_namespace kn ON kn.oid = k.collnamespace) ON k.oid = a.attcollation AND (kn.nspname, k.collname) <> ('pg_catalog', 'default')
  WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind = 'c' AND (pg_has_role(c.relowner, 'USAGE') OR has_type_privilege(c.reltype, 'USAGE'));

CREATE VIEW information_schema.character_sets AS
  SELECT NULL::information_schema.sql_identifier AS character_set_catalog,
         NULL::information_schema.sql_identifier AS character_set_schema,
         (getdatabaseencoding())::information_schema.sql_identifier AS character_set_name,
         (CASE WHEN getdatabaseencoding() = 'UTF8' THEN 'UCS' ELSE getdatabaseencoding() END)::information_schema.sql_identifier AS character_repertoire,
         (getdatabaseencoding())::information_schema.sql_identifier AS form_of_use,
         (current_database())::information_schema.sql_identifier AS default_collate_catalog,
         (kn.nspname)::information_schema.sql_identifier AS default_collate_schema,
         (k.collname)::information_schema.sql_identifier AS default_collate_name
  FROM pg_database d LEFT JOIN (pg_collation k JOIN pg_namespace kn ON kn.oid = k.collnamespace) ON d.datcollate = k.collcollate AND d.datctype = k.collctype
  WHERE d.datname = current_database() ORDER BY char_length(k.collname) DESC, k.collname ASC LIMIT 1;

CREATE VIEW information_schema.check_constraints AS
  SELECT (current_database())::information_schema.sql_identifier AS constraint_catalog,
         (n.nspname)::information_schema.sql_identifier AS constraint_schema,
         (k.conname)::information_schema.sql_identifier AS constraint_name,
         (substring(pg_get_constraintdef(k.oid) from 7))::information_schema.character_data AS check_clause
  FROM pg_constraint k LEFT JOIN pg_namespace n ON n.oid = k.connamespace LEFT JOIN pg_class c ON c.oid = k.conrelid LEFT JOIN pg_type t ON t.oid = k.contypid
  WHERE k.contype = 'c' AND pg_has_role(coalesce(c.relowner, t.typowner), 'USAGE')
  UNION ALL
  SELECT (current_database())::information_schema.sql_identifier AS constraint_catalog,
         (n.nspname)::information_schema.sql_identifier AS constraint_schema,
         ((n.oid || '_' || c.oid || '_' || a.attnum || '_not_null'))::information_schema.sql_identifier AS constraint_name,
         ((a.attname || ' IS NOT NULL'))::information_schema.character_data AS check_clause
  FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull AND c.relkind IN ('r', 'p') AND pg_has_role(c.relowner, 'USAGE');

CREATE VIEW information_schema.collations AS
  SELECT (current_database())::information_schema.sql_identifier AS collation_catalog,
         (n.nspname)::information_schema.sql_identifier AS collation_schema,
         (k.collname)::information_schema.sql_identifier AS collation_name, ('NO PAD')::information_schema.character_data AS pad_attribute
  FROM pg_collation k JOIN pg_namespace n ON n.oid = k.collnamespace WHERE k.collencoding IN (-1, (SELECT encoding FROM pg_database WHERE datname = current_database()));

CREATE VIEW information_schema.collation_character_set_applicability AS
  SELECT (current_database())::information_schema.sql_identifier AS collation_catalog,
         (n.nspname)::information_schema.sql_identifier AS collation_schema,
         (k.collname)::information_schema.sql_identifier AS collation_name,
         NULL::information_schema.sql_identifier AS character_set_catalog,
         NULL::information_schema.sql_identifier AS character_set_schema,
         (getdatabaseencoding())::information_schema.sql_identifier AS character_set_name
  FROM pg_collation k JOIN pg_namespace n ON n.oid = k.collnamespace WHERE k.collencoding IN (-1, (SELECT encoding FROM pg_database WHERE datname = current_database()));

CREATE VIEW information_schema.column_domain_usage AS
  SELECT (current_database())::information_schema.sql_identifier AS domain_catalog,
         (tn.nspname)::information_schema.sql_identifier AS domain_schema, (t.typname)::information_schema.sql_identifier AS domain_name,
         (current_database())::information_schema.sql_identifier AS table_catalog,
         (n.nspname)::information_schema.sql_identifier AS table_schema, (c.relname)::information_schema.sql_identifier AS table_name,
         (a.attname)::information_schema.sql_identifier AS column_name
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace tn ON tn.oid = t.typnamespace
  WHERE t.typtype = 'd' AND c.relkind IN ('r', 'v', 'f', 'p') AND a.attnum > 0 AND NOT a.attisdropped AND pg_has_role(t.typowner, 'USAGE');

CREATE VIEW information_schema.column_udt_usage AS
  SELECT (current_database())::information_schema.sql_identifier AS udt_catalog,
         (un.nspname)::information_schema.sql_identifier AS udt_schema, (u.typname)::information_schema.sql_identifier AS udt_name,
         (current_database())::information_schema.sql_identifier AS table_catalog,
         (n.nspname)::information_schema.sql_identifier AS table_schema, (c.relname)::information_schema.sql_identifier AS table_name,
         (a.attname)::information_schema.sql_identifier AS column_name
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace tn ON tn.oid = t.typnamespace
       CROSS JOIN LATERAL (SELECT CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE a.atttypid END AS typ, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END AS mod) b
       JOIN pg_type u ON u.oid = b.typ JOIN pg_namespace un ON un.oid = u.typnamespace
  WHERE c.relkind IN ('r', 'v', 'f', 'p') AND a.attnum > 0 AND NOT a.attisdropped AND pg_has_role(u.typowner, 'USAGE');

CREATE VIEW information_schema.column_privileges AS
  SELECT (gor.rolname)::information_schema.sql_identifier AS grantor, (gee.rolname)::information_schema.sql_identifier AS grantee,
         (current_database())::information_schema.sql_identifier AS table_catalog,
         (n.nspname)::information_schema.sql_identifier AS table_schema, (g.relname)::information_schema.sql_identifier AS table_name,
         (g.attname)::information_schema.sql_identifier AS column_name,
         (g.privilege_type)::information_schema.character_data AS privilege_type,
         (CASE WHEN (gee.oid <> 0 AND pg_has_role(gee.oid, g.relowner, 'USAGE')) OR g.is_grantable THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_grantable
  FROM (SELECT c.oid, c.relname, c.relnamespace, c.relowner, c.relkind, a.attname, x.grantor, x.grantee, x.privilege_type, bool_or(x.is_grantable) AS is_grantable
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
             CROSS JOIN LATERAL (SELECT * FROM aclexplode(coalesce(c.relacl, acldefault('r', c.relowner)))
                                 UNION ALL SELECT * FROM aclexplode(coalesce(a.attacl, acldefault('c', c.relowner)))) x
        WHERE c.relkind IN ('r', 'v', 'f', 'p') AND x.privilege_type IN ('INSERT', 'SELECT', 'UPDATE', 'REFERENCES')
        GROUP BY c.oid, c.relname, c.relnamespace, c.relowner, c.relkind, a.attname, x.grantor, x.grantee, x.privilege_type) g
       JOIN pg_namespace n ON n.oid = g.relnamespace JOIN pg_authid gor ON gor.oid = g.grantor JOIN (SELECT oid, rolname FROM pg_authid UNION ALL SELECT 0::oid, 'PUBLIC') gee(oid, rolname) ON gee.oid = g.grantee
  WHERE (pg_has_role(gor.oid, 'USAGE') OR pg_has_role(gee.oid, 'USAGE') OR gee.rolname = 'PUBLIC');

CREATE VIEW information_schema.table_privileges AS
  SELECT (gor.rolname)::information_schema.sql_identifier AS grantor, (gee.rolname)::information_schema.sql_identifier AS grantee,
         (current_database())::information_schema.sql_identifier AS table_catalog,
         (n.nspname)::information_schema.sql_identifier AS table_schema, (g.relname)::information_schema.sql_identifier AS table_name,
         (g.privilege_type)::information_schema.character_data AS privilege_type,
         (CASE WHEN (gee.oid <> 0 AND pg_has_role(gee.oid, g.relowner, 'USAGE')) OR g.is_grantable THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_grantable,
         (CASE WHEN g.privilege_type = 'SELECT' THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS with_hierarchy
  FROM (SELECT c.oid, c.relname, c.relnamespace, c.relowner, x.grantor, x.grantee, x.privilege_type, x.is_grantable
        FROM pg_class c CROSS JOIN LATERAL aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) x
        WHERE c.relkind IN ('r', 'v', 'f', 'p')) g
       JOIN pg_namespace n ON n.oid = g.relnamespace JOIN pg_authid gor ON gor.oid = g.grantor JOIN (SELECT oid, rolname FROM pg_authid UNION ALL SELECT 0::oid, 'PUBLIC') gee(oid, rolname) ON gee.oid = g.grantee
  WHERE g.privilege_type IN ('INSERT', 'SELECT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER') AND (pg_has_role(gor.oid, 'USAGE') OR pg_has_role(gee.oid, 'USAGE') OR gee.rolname = 'PUBLIC');

CREATE VIEW information_schema.routine_privileges AS
  SELECT (gor.rolname)::information_schema.sql_identifier AS grantor, (gee.rolname)::information_schema.sql_identifier AS grantee,
         (current_database())::information_schema.sql_identifier AS specific_catalog,
         (n.nspname)::information_schema.sql_identifier AS specific_schema,
         ((g.proname || '_' || g.oid))::information_schema.sql_identifier AS specific_name,
         (current_database())::information_schema.sql_identifier AS routine_catalog,
         (n.nspname)::information_schema.sql_identifier AS routine_schema, (g.proname)::information_schema.sql_identifier AS routine_name,
         ('EXECUTE')::information_schema.character_data AS privilege_type,
         (CASE WHEN (gee.oid <> 0 AND pg_has_role(gee.oid, g.proowner, 'USAGE')) OR g.is_grantable THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_grantable
  FROM (SELECT p.oid, p.proname, p.pronamespace, p.proowner, x.grantor, x.grantee, x.privilege_type, x.is_grantable
        FROM pg_proc p CROSS JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x) g
       JOIN pg_namespace n ON n.oid = g.pronamespace JOIN pg_authid gor ON gor.oid = g.grantor JOIN (SELECT oid, rolname FROM pg_authid UNION ALL SELECT 0::oid, 'PUBLIC') gee(oid, rolname) ON gee.oid = g.grantee
  WHERE g.privilege_type = 'EXECUTE' AND (pg_has_role(gor.oid, 'USAGE') OR pg_has_role(gee.oid, 'USAGE') OR gee.rolname = 'PUBLIC');

CREATE VIEW information_schema.udt_privileges AS
  SELECT (gor.rolname)::information_schema.sql_identifier AS grantor, (gee.rolname)::information_schema.sql_identifier AS grantee,
         (current_database())::information_schema.sql_identifier AS udt_catalog,
         (n.nspname)::information_schema.sql_identifier AS udt_schema, (g.typname)::information_schema.sql_identifier AS udt_name,
         ('TYPE USAGE')::information_schema.character_data AS privilege_type,
         (CASE WHEN (gee.oid <> 0 AND pg_has_role(gee.oid, g.typowner, 'USAGE')) OR g.is_grantable THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_grantable
  FROM (SELECT t.oid, t.typname, t.typnamespace, t.typowner, x.grantor, x.grantee, x.privilege_type, x.is_grantable
        FROM pg_type t CROSS JOIN LATERAL aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) x WHERE t.typtype = 'c') g
       JOIN pg_namespace n ON n.oid = g.typnamespace JOIN pg_authid gor ON gor.oid = g.grantor JOIN (SELECT oid, rolname FROM pg_authid UNION ALL SELECT 0::oid, 'PUBLIC') gee(oid, rolname) ON gee.oid = g.grantee
  WHERE g.privilege_type = 'USAGE' AND (pg_has_role(gor.oid, 'USAGE') OR pg_has_role(gee.oid, 'USAGE') OR gee.rolname = 'PUBLIC');

CREATE VIEW information_schema.usage_privileges AS
  SELECT (gor.rolname)::information_schema.sql_identifier AS grantor, (gee.rolname)::information_schema.sql_identifier AS grantee,
         (current_database())::information_schema.sql_identifier AS object_catalog,
         (n.nspname)::information_schema.sql_identifier AS object_schema, (g.name)::information_schema.sql_identifier AS object_name,
         (g.kind)::information_schema.character_data AS object_type, ('USAGE')::information_schema.character_data AS privilege_type,
         (CASE WHEN (gee.oid <> 0 AND pg_has_role(gee.oid, g.owner, 'USAGE')) OR g.is_grantable THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_grantable
  FROM (SELECT c.relname AS name, c.relnamespace AS schema, c.relowner AS owner, 'SEQUENCE'::text AS kind, x.grantor, x.grantee, x.is_grantable
        FROM pg_class c CROSS JOIN LATERAL aclexplode(coalesce(c.relacl, acldefault('s', c.relowner))) x
        WHERE c.relkind = 'S' AND x.privilege_type = 'USAGE'
        UNION ALL
        SELECT t.typname, t.typnamespace, t.typowner, 'DOMAIN', x.grantor, x.grantee, x.is_grantable
        FROM pg_type t CROSS JOIN LATERAL aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) x
        WHERE t.typtype = 'd' AND x.privilege_type = 'USAGE'
        UNION ALL
        SELECT k.collname, k.collnamespace, k.collowner, 'COLLATION', k.collowner, 0::oid, false FROM pg_collation k
        WHERE k.collencoding IN (-1, (SELECT encoding FROM pg_database WHERE datname = current_database()))) g
       JOIN pg_namespace n ON n.oid = g.schema JOIN pg_authid gor ON gor.oid = g.grantor JOIN (SELECT oid, rolname FROM pg_authid UNION ALL SELECT 0::oid, 'PUBLIC') gee(oid, rolname) ON gee.oid = g.grantee
  WHERE (pg_has_role(gor.oid, 'USAGE') OR pg_has_role(gee.oid, 'USAGE') OR gee.rolname = 'PUBLIC');

CREATE VIEW information_schema.role_column_grants AS
  SELECT (grantor)::information_schema.sql_identifier AS grantor, (grantee)::information_schema.sql_identifier AS grantee,
         (table_catalog)::information_schema.sql_identifier AS table_catalog,
         (table_schema)::information_schema.sql_identifier AS table_schema, (table_name)::information_schema.sql_identifier AS table_name,
         (column_name)::information_schema.sql_identifier AS column_name,
         (privilege_type)::information_schema.character_data AS privilege_type,
         (is_grantable)::information_schema.yes_or_no AS is_grantable
  FROM information_schema.column_privileges
  WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles) OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);

CREATE VIEW information_schema.role_routine_grants AS
  SELECT (grantor)::information_schema.sql_identifier AS grantor, (grantee)::information_schema.sql_identifier AS grantee,
         (specific_catalog)::information_schema.sql_identifier AS specific_catalog,
         (specific_schema)::information_schema.sql_identifier AS specific_schema,
         (specific_name)::information_schema.sql_identifier AS specific_name,
         (routine_catalog)::information_schema.sql_identifier AS routine_catalog,
         (routine_schema)::information_schema.sql_identifier AS routine_schema,
         (routine_name)::information_schema.sql_identifier AS routine_name,
         (privilege_type)::information_schema.character_data AS privilege_type,
         (is_grantable)::information_schema.yes_or_no AS is_grantable
  FROM information_schema.routine_privileges
  WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles) OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);

CREATE VIEW information_schema.role_table_grants AS
  SELECT (grantor)::information_schema.sql_identifier AS grantor, (grantee)::information_schema.sql_identifier AS grantee,
         (table_catalog)::information_schema.sql_identifier AS table_catalog,
         (table_schema)::information_schema.sql_identifier AS table_schema, (table_name)::information_schema.sql_identifier AS table_name,
         (privilege_type)::information_schema.character_data AS privilege_type,
         (is_grantable)::information_schema.yes_or_no AS is_grantable, (with_hierarchy)::information_schema.yes_or_no AS with_hierarchy
  FROM information_schema.table_privileges
  WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles) OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);

CREATE VIEW information_schema.role_udt_grants AS
  SELECT (grantor)::information_schema.sql_identifier AS grantor, (grantee)::information_schema.sql_identifier AS grantee,
         (udt_catalog)::information_schema.sql_identifier AS udt_catalog, (udt_schema)::information_schema.sql_identifier AS udt_schema,
         (udt_name)::information_schema.sql_identifier AS udt_name, (privilege_type)::information_schema.character_data AS privilege_type,
         (is_grantable)::information_schema.yes_or_no AS is_grantable
  FROM information_schema.udt_privileges
  WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles) OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);

CREATE VIEW information_schema.role_usage_grants AS
  SELECT (grantor)::information_schema.sql_identifier AS grantor, (grantee)::information_schema.sql_identifier AS grantee,
         (object_catalog)::information_schema.sql_identifier AS object_catalog,
         (object_schema)::information_schema.sql_identifier AS object_schema,
         (object_name)::information_schema.sql_identifier AS object_name, (object_type)::information_schema.character_data AS object_type,
         (privilege_type)::information_schema.character_data AS privilege_type,
         (is_grantable)::information_schema.yes_or_no AS is_grantable
  FROM information_schema.usage_privileges
  WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles) OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);

CREATE VIEW information_schema.constraint_column_usage AS
  SELECT (current_database())::information_schema.sql_identifier AS table_catalog,
         (x.nspname)::information_schema.sql_identifier AS table_schema, (x.relname)::information_schema.sql_identifier AS table_name,
         (x.attname)::information_schema.sql_identifier AS column_name,
         (current_database())::information_schema.sql_identifier AS constraint_catalog,
         (x.con_schema)::information_schema.sql_identifier AS constraint_schema,
         (x.conname)::information_schema.sql_identifier AS constraint_name
  FROM (SELECT DISTINCT n.nspname, c.relname, c.relowner, a.attname, kn.nspname AS con_schema, k.conname
        FROM pg_constraint k JOIN pg_namespace kn ON kn.oid = k.connamespace
             JOIN pg_class c ON c.oid = CASE k.contype WHEN 'f' THEN k.confrelid ELSE k.conrelid END JOIN pg_namespace n ON n.oid = c.relnamespace
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (CASE k.contype WHEN 'f' THEN k.confkey ELSE k.conkey END)
        WHERE k.contype IN ('c', 'p', 'u', 'f') AND NOT a.attisdropped AND c.relkind IN ('r', 'p')) x
  WHERE pg_has_role(x.relowner, 'USAGE');

CREATE VIEW information_schema.constraint_table_usage AS
  SELECT (current_database())::information_schema.sql_identifier AS table_catalog,
         (n.nspname)::information_schema.sql_identifier AS table_schema, (c.relname)::information_schema.sql_identifier AS table_name,
         (current_database())::information_schema.sql_identifier AS constraint_catalog,
         (kn.nspname)::information_schema.sql_identifier AS constraint_schema,
         (k.conname)::information_schema.sql_identifier AS constraint_name
  FROM pg_constraint k JOIN pg_namespace kn ON kn.oid = k.connamespace
       JOIN pg_class c ON c.oid = CASE k.contype WHEN 'f' THEN k.confrelid ELSE k.conrelid END JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE k.contype IN ('f', 'p', 'u') AND c.relkind IN ('r', 'p') AND pg_has_role(c.relowner, 'USAGE');

CREATE VIEW information_schema.domain_constraints AS
  SELECT (current_database())::information_schema.sql_identifier AS constraint_catalog,
         (kn.nspname)::information_schema.sql_identifier AS constraint_schema,
         (k.conname)::information_schema.sql_identifier AS constraint_name,
         (current_database())::information_schema.sql_identifier AS domain_catalog,
         (n.nspname)::information_schema.sql_identifier AS domain_schema, (t.typname)::information_schema.sql_identifier AS domain_name,
         (CASE WHEN k.condeferrable THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_deferrable,
         (CASE WHEN k.condeferred THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS initially_deferred
  FROM pg_constraint k JOIN pg_namespace kn ON kn.oid = k.connamespace JOIN pg_type t ON t.oid = k.contypid JOIN pg_namespace n ON n.oid = t.typnamespace
  WHERE t.typtype = 'd' AND (pg_has_role(t.typowner, 'USAGE') OR has_type_privilege(t.oid, 'USAGE'));

CREATE VIEW information_schema.domain_udt_usage AS
  SELECT (current_database())::information_schema.sql_identifier AS udt_catalog,
         (un.nspname)::information_schema.sql_identifier AS udt_schema, (u.typname)::information_schema.sql_identifier AS udt_name,
         (current_database())::information_schema.sql_identifier AS domain_catalog,
         (n.nspname)::information_schema.sql_identifier AS domain_schema, (t.typname)::information_schema.sql_identifier AS domain_name
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace JOIN pg_type u ON u.oid = t.typbasetype JOIN pg_namespace un ON un.oid = u.typnamespace
  WHERE t.typtype = 'd' AND pg_has_role(u.typowner, 'USAGE');

CREATE VIEW information_schema.domains AS
  SELECT (current_database())::information_schema.sql_identifier AS domain_catalog,
         (n.nspname)::information_schema.sql_identifier AS domain_schema, (t.typname)::information_schema.sql_identifier AS domain_name,
         (CASE WHEN u.typelem <> 0 AND u.typlen = -1 THEN 'ARRAY' WHEN un.nspname = 'pg_catalog' THEN format_type(u.oid, NULL) ELSE 'USER-DEFINED' END)::information_schema.character_data AS data_type,
         (CASE WHEN t.typtypmod = -1 THEN NULL WHEN t.typbasetype IN (1042, 1043) THEN t.typtypmod - 4 WHEN t.typbasetype IN (1560, 1562) THEN t.typtypmod END)::information_schema.cardinal_number AS character_maximum_length,
         (CASE WHEN t.typbasetype IN (25, 1042, 1043) THEN CASE WHEN t.typtypmod = -1 THEN 1 << 30 ELSE (t.typtypmod - 4) * pg_encoding_max_length((SELECT encoding FROM pg_database WHERE datname = current_database())) END END)::information_schema.cardinal_number AS character_octet_length,
         NULL::information_schema.sql_identifier AS character_set_catalog,
         NULL::information_schema.sql_identifier AS character_set_schema, NULL::information_schema.sql_identifier AS character_set_name,
         (CASE WHEN k.collname IS NOT NULL THEN current_database() END)::information_schema.sql_identifier AS collation_catalog,
         (kn.nspname)::information_schema.sql_identifier AS collation_schema,
         (k.collname)::information_schema.sql_identifier AS collation_name,
         (CASE t.typbasetype WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 700 THEN 24 WHEN 701 THEN 53 WHEN 1700 THEN CASE WHEN t.typtypmod <> -1 THEN ((t.typtypmod - 4) >> 16) & 65535 END END)::information_schema.cardinal_number AS numeric_precision,
         (CASE WHEN t.typbasetype IN (20, 21, 23, 700, 701) THEN 2 WHEN t.typbasetype = 1700 THEN 10 END)::information_schema.cardinal_number AS numeric_precision_radix,
         (CASE WHEN t.typbasetype IN (20, 21, 23) THEN 0 WHEN t.typbasetype = 1700 AND t.typtypmod <> -1 THEN (t.typtypmod - 4) & 65535 END)::information_schema.cardinal_number AS numeric_scale,
         (CASE WHEN t.typbasetype = 1082 THEN 0 WHEN t.typbasetype IN (1083, 1114, 1184, 1266) THEN CASE WHEN t.typtypmod < 0 THEN 6 ELSE t.typtypmod END WHEN t.typbasetype = 1186 THEN CASE WHEN t.typtypmod < 0 OR t.typtypmod & 65535 = 65535 THEN 6 ELSE t.typtypmod & 65535 END END)::information_schema.cardinal_number AS datetime_precision,
         (CASE WHEN t.typbasetype = 1186 THEN upper(nullif(trim(substr(format_type(t.typbasetype, t.typtypmod), 9)), '')) END)::information_schema.character_data AS interval_type,
         NULL::information_schema.cardinal_number AS interval_precision,
         (t.typdefault)::information_schema.character_data AS domain_default,
         (current_database())::information_schema.sql_identifier AS udt_catalog,
         (un.nspname)::information_schema.sql_identifier AS udt_schema, (u.typname)::information_schema.sql_identifier AS udt_name,
         NULL::information_schema.sql_identifier AS scope_catalog, NULL::information_schema.sql_identifier AS scope_schema,
         NULL::information_schema.sql_identifier AS scope_name, NULL::information_schema.cardinal_number AS maximum_cardinality,
         ('1')::information_schema.sql_identifier AS dtd_identifier
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace JOIN pg_type u ON u.oid = t.typbasetype JOIN pg_namespace un ON un.oid = u.typnamespace
       LEFT JOIN (pg_collation k JOIN pg_namespace kn ON kn.oid = k.collnamespace) ON k.oid = t.typcollation AND (kn.nspname, k.collname) <> ('pg_catalog', 'default')
  WHERE t.typtype = 'd' AND (pg_has_role(t.typowner, 'USAGE') OR has_type_privilege(t.oid, 'USAGE'));

CREATE VIEW information_schema.key_column_usage AS
  SELECT (current_database())::information_schema.sql_identifier AS constraint_catalog,
         (kn.nspname)::information_schema.sql_identifier AS constraint_schema,
         (k.conname)::information_schema.sql_identifier AS constraint_name,
         (current_database())::information_schema.sql_identifier AS table_catalog,
         (n.nspname)::information_schema.sql_identifier AS table_schema, (c.relname)::information_schema.sql_identifier AS table_name,
         (a.attname)::information_schema.sql_identifier AS column_name, (i.pos)::information_schema.cardinal_number AS ordinal_position,
         (j.pos)::information_schema.cardinal_number AS position_in_unique_constraint
  FROM pg_constraint k JOIN pg_namespace kn ON kn.oid = k.connamespace JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       CROSS JOIN LATERAL generate_series(1, array_length(k.conkey, 1)) AS i(pos)
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[i.pos] AND NOT a.attisdropped
       LEFT JOIN pg_index x ON k.contype = 'f' AND x.indexrelid = k.conindid
       LEFT JOIN LATERAL generate_series(1, x.indnkeyatts) AS j(pos) ON x.indkey[j.pos - 1] = k.confkey[i.pos]
  WHERE k.contype IN ('p', 'u', 'f') AND c.relkind IN ('r', 'p') AND NOT pg_is_other_temp_schema(n.oid)
        AND (pg_has_role(c.relowner, 'USAGE') OR has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.parameters AS
  SELECT (current_database())::information_schema.sql_identifier AS specific_catalog,
         (n.nspname)::information_schema.sql_identifier AS specific_schema,
         ((p.proname || '_' || p.oid))::information_schema.sql_identifier AS specific_name,
         (i.pos)::information_schema.cardinal_number AS ordinal_position,
         (CASE WHEN x.mode IS NULL OR x.mode IN ('i', 'v') THEN 'IN' WHEN x.mode IN ('o', 't') THEN 'OUT' WHEN x.mode = 'b' THEN 'INOUT' END)::information_schema.character_data AS parameter_mode,
         ('NO')::information_schema.yes_or_no AS is_result, ('NO')::information_schema.yes_or_no AS as_locator,
         (nullif(x.name, ''))::information_schema.sql_identifier AS parameter_name,
         (CASE WHEN u.typelem <> 0 AND u.typlen = -1 THEN 'ARRAY' WHEN un.nspname = 'pg_catalog' THEN format_type(u.oid, NULL) ELSE 'USER-DEFINED' END)::information_schema.character_data AS data_type,
         NULL::information_schema.cardinal_number AS character_maximum_length,
         NULL::information_schema.cardinal_number AS character_octet_length,
         NULL::information_schema.sql_identifier AS character_set_catalog,
         NULL::information_schema.sql_identifier AS character_set_schema, NULL::information_schema.sql_identifier AS character_set_name,
         NULL::information_schema.sql_identifier AS collation_catalog, NULL::information_schema.sql_identifier AS collation_schema,
         NULL::information_schema.sql_identifier AS collation_name, NULL::information_schema.cardinal_number AS numeric_precision,
         NULL::information_schema.cardinal_number AS numeric_precision_radix, NULL::information_schema.cardinal_number AS numeric_scale,
         NULL::information_schema.cardinal_number AS datetime_precision, NULL::information_schema.character_data AS interval_type,
         NULL::information_schema.cardinal_number AS interval_precision,
         (current_database())::information_schema.sql_identifier AS udt_catalog,
         (un.nspname)::information_schema.sql_identifier AS udt_schema, (u.typname)::information_schema.sql_identifier AS udt_name,
         NULL::information_schema.sql_identifier AS scope_catalog, NULL::information_schema.sql_identifier AS scope_schema,
         NULL::information_schema.sql_identifier AS scope_name, NULL::information_schema.cardinal_number AS maximum_cardinality,
         (i.pos::text)::information_schema.sql_identifier AS dtd_identifier,
         (CASE WHEN pg_has_role(p.proowner, 'USAGE') THEN pg_get_function_arg_default(p.oid, i.pos) END)::information_schema.character_data AS parameter_default
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
       CROSS JOIN LATERAL generate_series(1, coalesce(array_length(p.proallargtypes, 1), p.pronargs::int)) AS i(pos)
       CROSS JOIN LATERAL (SELECT CASE WHEN p.proallargtypes IS NULL THEN p.proargtypes[i.pos - 1] ELSE p.proallargtypes[i.pos] END AS typ,
                                  p.proargmodes[i.pos] AS mode, p.proargnames[i.pos] AS name) x
       JOIN pg_type u ON u.oid = x.typ JOIN pg_namespace un ON un.oid = u.typnamespace
  WHERE pg_has_role(p.proowner, 'USAGE') OR has_function_privilege(p.oid, 'EXECUTE');

CREATE VIEW information_schema.referential_constraints AS
  SELECT (current_database())::information_schema.sql_identifier AS constraint_catalog,
         (n.nspname)::information_schema.sql_identifier AS constraint_schema,
         (k.conname)::information_schema.sql_identifier AS constraint_name,
         (CASE WHEN un.nspname IS NOT NULL THEN current_database() END)::information_schema.sql_identifier AS unique_constraint_catalog,
         (un.nspname)::information_schema.sql_identifier AS unique_constraint_schema,
         (u.conname)::information_schema.sql_identifier AS unique_constraint_name,
         (CASE k.confmatchtype WHEN 'f' THEN 'FULL' WHEN 'p' THEN 'PARTIAL' WHEN 's' THEN 'NONE' END)::information_schema.character_data AS match_option,
         (CASE k.confupdtype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' WHEN 'r' THEN 'RESTRICT' WHEN 'a' THEN 'NO ACTION' END)::information_schema.character_data AS update_rule,
         (CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' WHEN 'r' THEN 'RESTRICT' WHEN 'a' THEN 'NO ACTION' END)::information_schema.character_data AS delete_rule
  FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace JOIN pg_class c ON c.oid = k.conrelid
       LEFT JOIN pg_constraint u ON u.conindid = k.conindid AND u.contype IN ('p', 'u') AND u.conrelid = k.confrelid
       LEFT JOIN pg_namespace un ON un.oid = u.connamespace
  WHERE k.contype = 'f' AND (pg_has_role(c.relowner, 'USAGE') OR has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
        OR has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.routines AS
  SELECT (current_database())::information_schema.sql_identifier AS specific_catalog,
         (n.nspname)::information_schema.sql_identifier AS specific_schema,
         ((p.proname || '_' || p.oid))::information_schema.sql_identifier AS specific_name,
         (current_database())::information_schema.sql_identifier AS routine_catalog,
         (n.nspname)::information_schema.sql_identifier AS routine_schema, (p.proname)::information_schema.sql_identifier AS routine_name,
         (CASE p.prokind WHEN 'f' THEN 'FUNCTION' WHEN 'p' THEN 'PROCEDURE' END)::information_schema.character_data AS routine_type,
         NULL::information_schema.sql_identifier AS module_catalog, NULL::information_schema.sql_identifier AS module_schema,
         NULL::information_schema.sql_identifier AS module_name, NULL::information_schema.sql_identifier AS udt_catalog,
         NULL::information_schema.sql_identifier AS udt_schema, NULL::information_schema.sql_identifier AS udt_name,
         (CASE WHEN p.prokind <> 'p' THEN CASE WHEN u.typelem <> 0 AND u.typlen = -1 THEN 'ARRAY' WHEN un.nspname = 'pg_catalog' THEN format_type(u.oid, NULL) ELSE 'USER-DEFINED' END END)::information_schema.character_data AS data_type,
         NULL::information_schema.cardinal_number AS character_maximum_length,
         NULL::information_schema.cardinal_number AS character_octet_length,
         NULL::information_schema.sql_identifier AS character_set_catalog,
         NULL::information_schema.sql_identifier AS character_set_schema, NULL::information_schema.sql_identifier AS character_set_name,
         NULL::information_schema.sql_identifier AS collation_catalog, NULL::information_schema.sql_identifier AS collation_schema,
         NULL::information_schema.sql_identifier AS collation_name, NULL::information_schema.cardinal_number AS numeric_precision,
         NULL::information_schema.cardinal_number AS numeric_precision_radix, NULL::information_schema.cardinal_number AS numeric_scale,
         NULL::information_schema.cardinal_number AS datetime_precision, NULL::information_schema.character_data AS interval_type,
         NULL::information_schema.cardinal_number AS interval_precision,
         (CASE WHEN un.nspname IS NOT NULL THEN current_database() END)::information_schema.sql_identifier AS type_udt_catalog,
         (un.nspname)::information_schema.sql_identifier AS type_udt_schema,
         (u.typname)::information_schema.sql_identifier AS type_udt_name, NULL::information_schema.sql_identifier AS scope_catalog,
         NULL::information_schema.sql_identifier AS scope_schema, NULL::information_schema.sql_identifier AS scope_name,
         NULL::information_schema.cardinal_number AS maximum_cardinality,
         (CASE WHEN p.prokind <> 'p' THEN '0' END)::information_schema.sql_identifier AS dtd_identifier,
         (CASE WHEN l.lanname = 'sql' THEN 'SQL' ELSE 'EXTERNAL' END)::information_schema.character_data AS routine_body,
         (CASE WHEN pg_has_role(p.proowner, 'USAGE') THEN p.prosrc END)::information_schema.character_data AS routine_definition,
         (CASE WHEN l.lanname = 'c' THEN p.prosrc END)::information_schema.character_data AS external_name,
         (upper(l.lanname))::information_schema.character_data AS external_language,
         ('GENERAL')::information_schema.character_data AS parameter_style,
         (CASE WHEN p.provolatile = 'i' THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_deterministic,
         ('MODIFIES')::information_schema.character_data AS sql_data_access,
         (CASE WHEN p.prokind <> 'p' THEN CASE WHEN p.proisstrict THEN 'YES' ELSE 'NO' END END)::information_schema.yes_or_no AS is_null_call,
         NULL::information_schema.character_data AS sql_path, ('YES')::information_schema.yes_or_no AS schema_level_routine,
         (0)::information_schema.cardinal_number AS max_dynamic_result_sets, NULL::information_schema.yes_or_no AS is_user_defined_cast,
         NULL::information_schema.yes_or_no AS is_implicitly_invocable,
         (CASE WHEN p.prosecdef THEN 'DEFINER' ELSE 'INVOKER' END)::information_schema.character_data AS security_type,
         NULL::information_schema.sql_identifier AS to_sql_specific_catalog,
         NULL::information_schema.sql_identifier AS to_sql_specific_schema,
         NULL::information_schema.sql_identifier AS to_sql_specific_name, ('NO')::information_schema.yes_or_no AS as_locator,
         NULL::information_schema.time_stamp AS created, NULL::information_schema.time_stamp AS last_altered,
         NULL::information_schema.yes_or_no AS new_savepoint_level, ('NO')::information_schema.yes_or_no AS is_udt_dependent,
         NULL::information_schema.character_data AS result_cast_from_data_type,
         NULL::information_schema.yes_or_no AS result_cast_as_locator,
         NULL::information_schema.cardinal_number AS result_cast_char_max_length,
         NULL::information_schema.cardinal_number AS result_cast_char_octet_length,
         NULL::information_schema.sql_identifier AS result_cast_char_set_catalog,
         NULL::information_schema.sql_identifier AS result_cast_char_set_schema,
         NULL::information_schema.sql_identifier AS result_cast_char_set_name,
         NULL::information_schema.sql_identifier AS result_cast_collation_catalog,
         NULL::information_schema.sql_identifier AS result_cast_collation_schema,
         NULL::information_schema.sql_identifier AS result_cast_collation_name,
         NULL::information_schema.cardinal_number AS result_cast_numeric_precision,
         NULL::information_schema.cardinal_number AS result_cast_numeric_precision_radix,
         NULL::information_schema.cardinal_number AS result_cast_numeric_scale,
         NULL::information_schema.cardinal_number AS result_cast_datetime_precision,
         NULL::information_schema.character_data AS result_cast_interval_type,
         NULL::information_schema.cardinal_number AS result_cast_interval_precision,
         NULL::information_schema.sql_identifier AS result_cast_type_udt_catalog,
         NULL::information_schema.sql_identifier AS result_cast_type_udt_schema,
         NULL::information_schema.sql_identifier AS result_cast_type_udt_name,
         NULL::information_schema.sql_identifier AS result_cast_scope_catalog,
         NULL::information_schema.sql_identifier AS result_cast_scope_schema,
         NULL::information_schema.sql_identifier AS result_cast_scope_name,
         NULL::information_schema.cardinal_number AS result_cast_maximum_cardinality,
         NULL::information_schema.sql_identifier AS result_cast_dtd_identifier
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
       LEFT JOIN (pg_type u JOIN pg_namespace un ON un.oid = u.typnamespace) ON u.oid = p.prorettype AND p.prokind <> 'p'
  WHERE pg_has_role(p.proowner, 'USAGE') OR has_function_privilege(p.oid, 'EXECUTE');

CREATE VIEW information_schema.schemata AS
  SELECT (current_database())::information_schema.sql_identifier AS catalog_name,
         (n.nspname)::information_schema.sql_identifier AS schema_name, (a.rolname)::information_schema.sql_identifier AS schema_owner,
         NULL::information_schema.sql_identifier AS default_character_set_catalog,
         NULL::information_schema.sql_identifier AS default_character_set_schema,
         NULL::information_schema.sql_identifier AS default_character_set_name, NULL::information_schema.character_data AS sql_path
  FROM pg_namespace n JOIN pg_authid a ON a.oid = n.nspowner
  WHERE pg_has_role(n.nspowner, 'USAGE') OR has_schema_privilege(n.oid, 'CREATE, USAGE');

CREATE VIEW information_schema.sequences AS
  SELECT (current_database())::information_schema.sql_identifier AS sequence_catalog,
         (n.nspname)::information_schema.sql_identifier AS sequence_schema,
         (c.relname)::information_schema.sql_identifier AS sequence_name,
         (format_type(s.seqtypid, NULL))::information_schema.character_data AS data_type,
         (CASE s.seqtypid WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 END)::information_schema.cardinal_number AS numeric_precision,
         (2)::information_schema.cardinal_number AS numeric_precision_radix, (0)::information_schema.cardinal_number AS numeric_scale,
         (s.seqstart::text)::information_schema.character_data AS start_value,
         (s.seqmin::text)::information_schema.character_data AS minimum_value,
         (s.seqmax::text)::information_schema.character_data AS maximum_value,
         (s.seqincrement::text)::information_schema.character_data AS increment,
         (CASE WHEN s.seqcycle THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS cycle_option
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_sequence s ON s.seqrelid = c.oid
  WHERE c.relkind = 'S' AND NOT pg_is_other_temp_schema(n.oid)
        AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 1259 AND d.objid = c.oid AND d.deptype = 'i')
        AND (pg_has_role(c.relowner, 'USAGE') OR has_sequence_privilege(c.oid, 'SELECT, UPDATE, USAGE'));

CREATE VIEW information_schema.table_constraints AS
  SELECT (current_database())::information_schema.sql_identifier AS constraint_catalog,
         (kn.nspname)::information_schema.sql_identifier AS constraint_schema,
         (k.conname)::information_schema.sql_identifier AS constraint_name,
         (current_database())::information_schema.sql_identifier AS table_catalog,
         (n.nspname)::information_schema.sql_identifier AS table_schema, (c.relname)::information_schema.sql_identifier AS table_name,
         (CASE k.contype WHEN 'c' THEN 'CHECK' WHEN 'f' THEN 'FOREIGN KEY' WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE' END)::information_schema.character_data AS constraint_type,
         (CASE WHEN k.condeferrable THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_deferrable,
         (CASE WHEN k.condeferred THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS initially_deferred,
         ('YES')::information_schema.yes_or_no AS enforced,
         (CASE WHEN k.contype = 'u' THEN CASE WHEN (SELECT indnullsnotdistinct FROM pg_index WHERE indexrelid = k.conindid) THEN 'NO' ELSE 'YES' END END)::information_schema.yes_or_no AS nulls_distinct
  FROM pg_constraint k JOIN pg_namespace kn ON kn.oid = k.connamespace JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE k.contype IN ('c', 'f', 'p', 'u') AND c.relkind IN ('r', 'p') AND NOT pg_is_other_temp_schema(n.oid)
        AND (pg_has_role(c.relowner, 'USAGE') OR has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
             OR has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES'))
  UNION ALL
  SELECT (current_database())::information_schema.sql_identifier AS constraint_catalog,
         (n.nspname)::information_schema.sql_identifier AS constraint_schema,
         ((n.oid || '_' || c.oid || '_' || a.attnum || '_not_null'))::information_schema.sql_identifier AS constraint_name,
         (current_database())::information_schema.sql_identifier AS table_catalog,
         (n.nspname)::information_schema.sql_identifier AS table_schema, (c.relname)::information_schema.sql_identifier AS table_name,
         ('CHECK')::information_schema.character_data AS constraint_type, ('NO')::information_schema.yes_or_no AS is_deferrable,
         ('NO')::information_schema.yes_or_no AS initially_deferred, ('YES')::information_schema.yes_or_no AS enforced,
         NULL::information_schema.yes_or_no AS nulls_distinct
  FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE a.attnotnull AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p') AND NOT pg_is_other_temp_schema(n.oid)
        AND (pg_has_role(c.relowner, 'USAGE') OR has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
             OR has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.tables AS
  SELECT (current_database())::information_schema.sql_identifier AS table_catalog,
         (n.nspname)::information_schema.sql_identifier AS table_schema, (c.relname)::information_schema.sql_identifier AS table_name,
         (CASE WHEN n.oid = pg_my_temp_schema() THEN 'LOCAL TEMPORARY' WHEN c.relkind IN ('r', 'p') THEN 'BASE TABLE' WHEN c.relkind = 'v' THEN 'VIEW' WHEN c.relkind = 'f' THEN 'FOREIGN' END)::information_schema.character_data AS table_type,
         NULL::information_schema.sql_identifier AS self_referencing_column_name,
         NULL::information_schema.character_data AS reference_generation,
         (CASE WHEN t.typname IS NOT NULL THEN current_database() END)::information_schema.sql_identifier AS user_defined_type_catalog,
         (tn.nspname)::information_schema.sql_identifier AS user_defined_type_schema,
         (t.typname)::information_schema.sql_identifier AS user_defined_type_name,
         (CASE WHEN c.relkind IN ('r', 'p') OR (c.relkind IN ('v', 'f') AND pg_relation_is_updatable(c.oid, false) & 8 = 8) THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_insertable_into,
         (CASE WHEN t.typname IS NOT NULL THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_typed,
         NULL::information_schema.character_data AS commit_action
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN (pg_type t JOIN pg_namespace tn ON tn.oid = t.typnamespace) ON t.oid = c.reloftype
  WHERE c.relkind IN ('r', 'v', 'f', 'p') AND NOT pg_is_other_temp_schema(n.oid)
        AND (pg_has_role(c.relowner, 'USAGE') OR has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
             OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.triggers AS
  SELECT (current_database())::information_schema.sql_identifier AS trigger_catalog,
         (n.nspname)::information_schema.sql_identifier AS trigger_schema, (t.tgname)::information_schema.sql_identifier AS trigger_name,
         (e.text)::information_schema.character_data AS event_manipulation,
         (current_database())::information_schema.sql_identifier AS event_object_catalog,
         (n.nspname)::information_schema.sql_identifier AS event_object_schema,
         (c.relname)::information_schema.sql_identifier AS event_object_table,
         (rank() OVER (PARTITION BY n.nspname, c.relname, e.bit, t.tgtype & 1, t.tgtype & 66 ORDER BY t.tgname))::information_schema.cardinal_number AS action_order,
         (CASE WHEN pg_has_role(c.relowner, 'USAGE') THEN substring(pg_get_triggerdef(t.oid) from ' WHEN \((.*)\) EXECUTE ') END)::information_schema.character_data AS action_condition,
         (substring(pg_get_triggerdef(t.oid) from position('EXECUTE ' in pg_get_triggerdef(t.oid))))::information_schema.character_data AS action_statement,
         (CASE WHEN t.tgtype & 1 = 1 THEN 'ROW' ELSE 'STATEMENT' END)::information_schema.character_data AS action_orientation,
         (CASE t.tgtype & 66 WHEN 2 THEN 'BEFORE' WHEN 64 THEN 'INSTEAD OF' ELSE 'AFTER' END)::information_schema.character_data AS action_timing,
         (t.tgoldtable)::information_schema.sql_identifier AS action_reference_old_table,
         (t.tgnewtable)::information_schema.sql_identifier AS action_reference_new_table,
         NULL::information_schema.sql_identifier AS action_reference_old_row,
         NULL::information_schema.sql_identifier AS action_reference_new_row, NULL::information_schema.time_stamp AS created
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN (VALUES (4, 'INSERT'), (8, 'DELETE'), (16, 'UPDATE')) AS e(bit, text) ON t.tgtype & e.bit <> 0
  WHERE NOT t.tgisinternal AND NOT pg_is_other_temp_schema(n.oid)
        AND (pg_has_role(c.relowner, 'USAGE') OR has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
             OR has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.triggered_update_columns AS
  SELECT (current_database())::information_schema.sql_identifier AS trigger_catalog,
         (n.nspname)::information_schema.sql_identifier AS trigger_schema, (t.tgname)::information_schema.sql_identifier AS trigger_name,
         (current_database())::information_schema.sql_identifier AS event_object_catalog,
         (n.nspname)::information_schema.sql_identifier AS event_object_schema,
         (c.relname)::information_schema.sql_identifier AS event_object_table,
         (a.attname)::information_schema.sql_identifier AS event_object_column
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (t.tgattr)
  WHERE NOT t.tgisinternal AND NOT pg_is_other_temp_schema(n.oid)
        AND (pg_has_role(c.relowner, 'USAGE') OR has_column_privilege(c.oid, a.attnum, 'INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.user_defined_types AS
  SELECT (current_database())::information_schema.sql_identifier AS user_defined_type_catalog,
         (n.nspname)::information_schema.sql_identifier AS user_defined_type_schema,
         (c.relname)::information_schema.sql_identifier AS user_defined_type_name,
         ('STRUCTURED')::information_schema.character_data AS user_defined_type_category,
         ('YES')::information_schema.yes_or_no AS is_instantiable, NULL::information_schema.yes_or_no AS is_final,
         NULL::information_schema.character_data AS ordering_form, NULL::information_schema.character_data AS ordering_category,
         NULL::information_schema.sql_identifier AS ordering_routine_catalog,
         NULL::information_schema.sql_identifier AS ordering_routine_schema,
         NULL::information_schema.sql_identifier AS ordering_routine_name, NULL::information_schema.character_data AS reference_type,
         NULL::information_schema.character_data AS data_type, NULL::information_schema.cardinal_number AS character_maximum_length,
         NULL::information_schema.cardinal_number AS character_octet_length,
         NULL::information_schema.sql_identifier AS character_set_catalog,
         NULL::information_schema.sql_identifier AS character_set_schema, NULL::information_schema.sql_identifier AS character_set_name,
         NULL::information_schema.sql_identifier AS collation_catalog, NULL::information_schema.sql_identifier AS collation_schema,
         NULL::information_schema.sql_identifier AS collation_name, NULL::information_schema.cardinal_number AS numeric_precision,
         NULL::information_schema.cardinal_number AS numeric_precision_radix, NULL::information_schema.cardinal_number AS numeric_scale,
         NULL::information_schema.cardinal_number AS datetime_precision, NULL::information_schema.character_data AS interval_type,
         NULL::information_schema.cardinal_number AS interval_precision, NULL::information_schema.sql_identifier AS source_dtd_identifier,
         NULL::information_schema.sql_identifier AS ref_dtd_identifier
  FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid JOIN pg_type t ON t.typrelid = c.oid
  WHERE c.relkind = 'c' AND (pg_has_role(t.typowner, 'USAGE') OR has_type_privilege(t.oid, 'USAGE'));

CREATE VIEW information_schema.view_column_usage AS
  SELECT (current_database())::information_schema.sql_identifier AS view_catalog,
         (n.nspname)::information_schema.sql_identifier AS view_schema, (v.relname)::information_schema.sql_identifier AS view_name,
         (current_database())::information_schema.sql_identifier AS table_catalog,
         (cn.nspname)::information_schema.sql_identifier AS table_schema, (c.relname)::information_schema.sql_identifier AS table_name,
         (a.attname)::information_schema.sql_identifier AS column_name
  FROM pg_namespace n JOIN pg_class v ON v.relnamespace = n.oid AND v.relkind = 'v'
       JOIN pg_depend r ON r.refclassid = 1259 AND r.refobjid = v.oid AND r.classid = 2618 AND r.deptype = 'i'
       JOIN pg_depend d ON d.classid = 2618 AND d.objid = r.objid AND d.refobjid <> v.oid
       JOIN pg_class c ON d.refclassid = 1259 AND c.oid = d.refobjid AND c.relkind IN ('r', 'v', 'f', 'p') JOIN pg_namespace cn ON cn.oid = c.relnamespace
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
  WHERE pg_has_role(c.relowner, 'USAGE') GROUP BY n.nspname, v.relname, cn.nspname, c.relname, a.attname;

CREATE VIEW information_schema.view_table_usage AS
  SELECT (current_database())::information_schema.sql_identifier AS view_catalog,
         (n.nspname)::information_schema.sql_identifier AS view_schema, (v.relname)::information_schema.sql_identifier AS view_name,
         (current_database())::information_schema.sql_identifier AS table_catalog,
         (cn.nspname)::information_schema.sql_identifier AS table_schema, (c.relname)::information_schema.sql_identifier AS table_name
  FROM pg_namespace n JOIN pg_class v ON v.relnamespace = n.oid AND v.relkind = 'v'
       JOIN pg_depend r ON r.refclassid = 1259 AND r.refobjid = v.oid AND r.classid = 2618 AND r.deptype = 'i'
       JOIN pg_depend d ON d.classid = 2618 AND d.objid = r.objid AND d.refobjid <> v.oid
       JOIN pg_class c ON d.refclassid = 1259 AND c.oid = d.refobjid AND c.relkind IN ('r', 'v', 'f', 'p') JOIN pg_namespace cn ON cn.oid = c.relnamespace
  WHERE pg_has_role(c.relowner, 'USAGE') GROUP BY n.nspname, v.relname, cn.nspname, c.relname;

CREATE VIEW information_schema.view_routine_usage AS
  SELECT (current_database())::information_schema.sql_identifier AS table_catalog,
         (n.nspname)::information_schema.sql_identifier AS table_schema, (v.relname)::information_schema.sql_identifier AS table_name,
         (current_database())::information_schema.sql_identifier AS specific_catalog,
         (pn.nspname)::information_schema.sql_identifier AS specific_schema,
         ((p.proname || '_' || p.oid))::information_schema.sql_identifier AS specific_name
  FROM pg_namespace n JOIN pg_class v ON v.relnamespace = n.oid AND v.relkind = 'v'
       JOIN pg_depend r ON r.refclassid = 1259 AND r.refobjid = v.oid AND r.classid = 2618 AND r.deptype = 'i'
       JOIN pg_depend d ON d.classid = 2618 AND d.objid = r.objid AND d.refobjid <> v.oid
       JOIN pg_proc p ON d.refclassid = 1255 AND p.oid = d.refobjid JOIN pg_namespace pn ON pn.oid = p.pronamespace
  WHERE pg_has_role(p.proowner, 'USAGE') GROUP BY n.nspname, v.relname, pn.nspname, p.proname, p.oid;

CREATE VIEW information_schema.views AS
  SELECT (current_database())::information_schema.sql_identifier AS table_catalog,
         (n.nspname)::information_schema.sql_identifier AS table_schema, (c.relname)::information_schema.sql_identifier AS table_name,
         (CASE WHEN pg_has_role(c.relowner, 'USAGE') THEN pg_get_viewdef(c.oid) END)::information_schema.character_data AS view_definition,
         (CASE WHEN 'check_option=cascaded' = ANY (c.reloptions) THEN 'CASCADED' WHEN 'check_option=local' = ANY (c.reloptions) THEN 'LOCAL' ELSE 'NONE' END)::information_schema.character_data AS check_option,
         (CASE WHEN pg_relation_is_updatable(c.oid, false) & 20 = 20 THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_updatable,
         (CASE WHEN pg_relation_is_updatable(c.oid, false) & 8 = 8 THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_insertable_into,
         (CASE WHEN EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = c.oid AND tgtype & 81 = 81) THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_trigger_updatable,
         (CASE WHEN EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = c.oid AND tgtype & 73 = 73) THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_trigger_deletable,
         (CASE WHEN EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = c.oid AND tgtype & 69 = 69) THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_trigger_insertable_into
  FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid
  WHERE c.relkind = 'v' AND NOT pg_is_other_temp_schema(n.oid)
        AND (pg_has_role(c.relowner, 'USAGE') OR has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
             OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'));

-- --- always empty: features this server does not have, or has not described here ------------------------------------------------

CREATE VIEW information_schema._pg_foreign_data_wrappers AS
  SELECT NULL::oid AS oid, NULL::oid AS fdwowner, NULL::text[] AS fdwoptions,
         NULL::information_schema.sql_identifier AS foreign_data_wrapper_catalog,
         NULL::information_schema.sql_identifier AS foreign_data_wrapper_name,
         NULL::information_schema.sql_identifier AS authorization_identifier,
         NULL::information_schema.character_data AS foreign_data_wrapper_language
  WHERE false;

CREATE VIEW information_schema._pg_foreign_servers AS
  SELECT NULL::oid AS oid, NULL::text[] AS srvoptions, NULL::information_schema.sql_identifier AS foreign_server_catalog,
         NULL::information_schema.sql_identifier AS foreign_server_name,
         NULL::information_schema.sql_identifier AS foreign_data_wrapper_catalog,
         NULL::information_schema.sql_identifier AS foreign_data_wrapper_name,
         NULL::information_schema.character_data AS foreign_server_type,
         NULL::information_schema.character_data AS foreign_server_version,
         NULL::information_schema.sql_identifier AS authorization_identifier
  WHERE false;

CREATE VIEW information_schema._pg_foreign_table_columns AS
  SELECT NULL::name AS nspname, NULL::name AS relname, NULL::name AS attname, NULL::text[] AS attfdwoptions
  WHERE false;

CREATE VIEW information_schema._pg_foreign_tables AS
  SELECT NULL::information_schema.sql_identifier AS foreign_table_catalog,
         NULL::information_schema.sql_identifier AS foreign_table_schema, NULL::information_schema.sql_identifier AS foreign_table_name,
         NULL::text[] AS ftoptions, NULL::information_schema.sql_identifier AS foreign_server_catalog,
         NULL::information_schema.sql_identifier AS foreign_server_name,
         NULL::information_schema.sql_identifier AS authorization_identifier
  WHERE false;

CREATE VIEW information_schema._pg_user_mappings AS
  SELECT NULL::oid AS oid, NULL::text[] AS umoptions, NULL::oid AS umuser,
         NULL::information_schema.sql_identifier AS authorization_identifier,
         NULL::information_schema.sql_identifier AS foreign_server_catalog,
         NULL::information_schema.sql_identifier AS foreign_server_name, NULL::information_schema.sql_identifier AS srvowner
  WHERE false;

CREATE VIEW information_schema.check_constraint_routine_usage AS
  SELECT NULL::information_schema.sql_identifier AS constraint_catalog, NULL::information_schema.sql_identifier AS constraint_schema,
         NULL::information_schema.sql_identifier AS constraint_name, NULL::information_schema.sql_identifier AS specific_catalog,
         NULL::information_schema.sql_identifier AS specific_schema, NULL::information_schema.sql_identifier AS specific_name
  WHERE false;

CREATE VIEW information_schema.column_column_usage AS
  SELECT NULL::information_schema.sql_identifier AS table_catalog, NULL::information_schema.sql_identifier AS table_schema,
         NULL::information_schema.sql_identifier AS table_name, NULL::information_schema.sql_identifier AS column_name,
         NULL::information_schema.sql_identifier AS dependent_column
  WHERE false;

CREATE VIEW information_schema.column_options AS
  SELECT NULL::information_schema.sql_identifier AS table_catalog, NULL::information_schema.sql_identifier AS table_schema,
         NULL::information_schema.sql_identifier AS table_name, NULL::information_schema.sql_identifier AS column_name,
         NULL::information_schema.sql_identifier AS option_name, NULL::information_schema.character_data AS option_value
  WHERE false;

CREATE VIEW information_schema.data_type_privileges AS
  SELECT NULL::information_schema.sql_identifier AS object_catalog, NULL::information_schema.sql_identifier AS object_schema,
         NULL::information_schema.sql_identifier AS object_name, NULL::information_schema.character_data AS object_type,
         NULL::information_schema.sql_identifier AS dtd_identifier
  WHERE false;

CREATE VIEW information_schema.element_types AS
  SELECT NULL::information_schema.sql_identifier AS object_catalog, NULL::information_schema.sql_identifier AS object_schema,
         NULL::information_schema.sql_identifier AS object_name, NULL::information_schema.character_data AS object_type,
         NULL::information_schema.sql_identifier AS collection_type_identifier, NULL::information_schema.character_data AS data_type,
         NULL::information_schema.cardinal_number AS character_maximum_length,
         NULL::information_schema.cardinal_number AS character_octet_length,
         NULL::information_schema.sql_identifier AS character_set_catalog,
         NULL::information_schema.sql_identifier AS character_set_schema, NULL::information_schema.sql_identifier AS character_set_name,
         NULL::information_schema.sql_identifier AS collation_catalog, NULL::information_schema.sql_identifier AS collation_schema,
         NULL::information_schema.sql_identifier AS collation_name, NULL::information_schema.cardinal_number AS numeric_precision,
         NULL::information_schema.cardinal_number AS numeric_precision_radix, NULL::information_schema.cardinal_number AS numeric_scale,
         NULL::information_schema.cardinal_number AS datetime_precision, NULL::information_schema.character_data AS interval_type,
         NULL::information_schema.cardinal_number AS interval_precision, NULL::information_schema.character_data AS domain_default,
         NULL::information_schema.sql_identifier AS udt_catalog, NULL::information_schema.sql_identifier AS udt_schema,
         NULL::information_schema.sql_identifier AS udt_name, NULL::information_schema.sql_identifier AS scope_catalog,
         NULL::information_schema.sql_identifier AS scope_schema, NULL::information_schema.sql_identifier AS scope_name,
         NULL::information_schema.cardinal_number AS maximum_cardinality, NULL::information_schema.sql_identifier AS dtd_identifier
  WHERE false;

CREATE VIEW information_schema.foreign_data_wrapper_options AS
  SELECT NULL::information_schema.sql_identifier AS foreign_data_wrapper_catalog,
         NULL::information_schema.sql_identifier AS foreign_data_wrapper_name, NULL::information_schema.sql_identifier AS option_name,
         NULL::information_schema.character_data AS option_value
  WHERE false;

CREATE VIEW information_schema.foreign_data_wrappers AS
  SELECT NULL::information_schema.sql_identifier AS foreign_data_wrapper_catalog,
         NULL::information_schema.sql_identifier AS foreign_data_wrapper_name,
         NULL::information_schema.sql_identifier AS authorization_identifier, NULL::information_schema.character_data AS library_name,
         NULL::information_schema.character_data AS foreign_data_wrapper_language
  WHERE false;

CREATE VIEW information_schema.foreign_server_options AS
  SELECT NULL::information_schema.sql_identifier AS foreign_server_catalog,
         NULL::information_schema.sql_identifier AS foreign_server_name, NULL::information_schema.sql_identifier AS option_name,
         NULL::information_schema.character_data AS option_value
  WHERE false;

CREATE VIEW information_schema.foreign_servers AS
  SELECT NULL::information_schema.sql_identifier AS foreign_server_catalog,
         NULL::information_schema.sql_identifier AS foreign_server_name,
         NULL::information_schema.sql_identifier AS foreign_data_wrapper_catalog,
         NULL::information_schema.sql_identifier AS foreign_data_wrapper_name,
         NULL::information_schema.character_data AS foreign_server_type,
         NULL::information_schema.character_data AS foreign_server_version,
         NULL::information_schema.sql_identifier AS authorization_identifier
  WHERE false;

CREATE VIEW information_schema.foreign_table_options AS
  SELECT NULL::information_schema.sql_identifier AS foreign_table_catalog,
         NULL::information_schema.sql_identifier AS foreign_table_schema, NULL::information_schema.sql_identifier AS foreign_table_name,
         NULL::information_schema.sql_identifier AS option_name, NULL::information_schema.character_data AS option_value
  WHERE false;

CREATE VIEW information_schema.foreign_tables AS
  SELECT NULL::information_schema.sql_identifier AS foreign_table_catalog,
         NULL::information_schema.sql_identifier AS foreign_table_schema, NULL::information_schema.sql_identifier AS foreign_table_name,
         NULL::information_schema.sql_identifier AS foreign_server_catalog, NULL::information_schema.sql_identifier AS foreign_server_name
  WHERE false;

CREATE VIEW information_schema.routine_column_usage AS
  SELECT NULL::information_schema.sql_identifier AS specific_catalog, NULL::information_schema.sql_identifier AS specific_schema,
         NULL::information_schema.sql_identifier AS specific_name, NULL::information_schema.sql_identifier AS routine_catalog,
         NULL::information_schema.sql_identifier AS routine_schema, NULL::information_schema.sql_identifier AS routine_name,
         NULL::information_schema.sql_identifier AS table_catalog, NULL::information_schema.sql_identifier AS table_schema,
         NULL::information_schema.sql_identifier AS table_name, NULL::information_schema.sql_identifier AS column_name
  WHERE false;

CREATE VIEW information_schema.routine_routine_usage AS
  SELECT NULL::information_schema.sql_identifier AS specific_catalog, NULL::information_schema.sql_identifier AS specific_schema,
         NULL::information_schema.sql_identifier AS specific_name, NULL::information_schema.sql_identifier AS routine_catalog,
         NULL::information_schema.sql_identifier AS routine_schema, NULL::information_schema.sql_identifier AS routine_name
  WHERE false;

CREATE VIEW information_schema.routine_sequence_usage AS
  SELECT NULL::information_schema.sql_identifier AS specific_catalog, NULL::information_schema.sql_identifier AS specific_schema,
         NULL::information_schema.sql_identifier AS specific_name, NULL::information_schema.sql_identifier AS routine_catalog,
         NULL::information_schema.sql_identifier AS routine_schema, NULL::information_schema.sql_identifier AS routine_name,
         NULL::information_schema.sql_identifier AS sequence_catalog, NULL::information_schema.sql_identifier AS sequence_schema,
         NULL::information_schema.sql_identifier AS sequence_name
  WHERE false;

CREATE VIEW information_schema.routine_table_usage AS
  SELECT NULL::information_schema.sql_identifier AS specific_catalog, NULL::information_schema.sql_identifier AS specific_schema,
         NULL::information_schema.sql_identifier AS specific_name, NULL::information_schema.sql_identifier AS routine_catalog,
         NULL::information_schema.sql_identifier AS routine_schema, NULL::information_schema.sql_identifier AS routine_name,
         NULL::information_schema.sql_identifier AS table_catalog, NULL::information_schema.sql_identifier AS table_schema,
         NULL::information_schema.sql_identifier AS table_name
  WHERE false;

CREATE VIEW information_schema.transforms AS
  SELECT NULL::information_schema.sql_identifier AS udt_catalog, NULL::information_schema.sql_identifier AS udt_schema,
         NULL::information_schema.sql_identifier AS udt_name, NULL::information_schema.sql_identifier AS specific_catalog,
         NULL::information_schema.sql_identifier AS specific_schema, NULL::information_schema.sql_identifier AS specific_name,
         NULL::information_schema.sql_identifier AS group_name, NULL::information_schema.character_data AS transform_type
  WHERE false;

CREATE VIEW information_schema.user_mapping_options AS
  SELECT NULL::information_schema.sql_identifier AS authorization_identifier,
         NULL::information_schema.sql_identifier AS foreign_server_catalog,
         NULL::information_schema.sql_identifier AS foreign_server_name, NULL::information_schema.sql_identifier AS option_name,
         NULL::information_schema.character_data AS option_value
  WHERE false;

CREATE VIEW information_schema.user_mappings AS
  SELECT NULL::information_schema.sql_identifier AS authorization_identifier,
         NULL::information_schema.sql_identifier AS foreign_server_catalog, NULL::information_schema.sql_identifier AS foreign_server_name
  WHERE false;

CREATE TABLE information_schema.sql_features (feature_id information_schema.character_data, feature_name information_schema.character_data, sub_feature_id information_schema.character_data, sub_feature_name information_schema.character_data, is_supported information_schema.yes_or_no, is_verified_by information_schema.character_data, comments information_schema.character_data);

CREATE TABLE information_schema.sql_implementation_info (implementation_info_id information_schema.character_data, implementation_info_name information_schema.character_data, integer_value information_schema.cardinal_number, character_value information_schema.character_data, comments information_schema.character_data);

CREATE TABLE information_schema.sql_parts (feature_id information_schema.character_data, feature_name information_schema.character_data, is_supported information_schema.yes_or_no, is_verified_by information_schema.character_data, comments information_schema.character_data);

CREATE TABLE information_schema.sql_sizing (sizing_id information_schema.cardinal_number, sizing_name information_schema.character_data, supported_value information_schema.cardinal_number, comments information_schema.character_data);

GRANT SELECT ON information_schema.administrable_role_authorizations, information_schema.applicable_roles, information_schema.attributes,
information_schema.character_sets, information_schema.check_constraint_routine_usage, information_schema.check_constraints,
information_schema.collation_character_set_applicability, information_schema.collations, information_schema.column_column_usage,
information_schema.column_domain_usage, information_schema.column_options, information_schema.column_privileges,
information_schema.column_udt_usage, information_schema.columns, information_schema.constraint_column_usage,
information_schema.constraint_table_usage, information_schema.data_type_privileges, information_schema.domain_constraints,
information_schema.domain_udt_usage, information_schema.domains, information_schema.element_types, information_schema.enabled_roles,
information_schema.foreign_data_wrapper_options, information_schema.foreign_data_wrappers, information_schema.foreign_server_options,
information_schema.foreign_servers, information_schema.foreign_table_options, information_schema.foreign_tables,
information_schema.information_schema_catalog_name, information_schema.key_column_usage, information_schema.parameters,
information_schema.referential_constraints, information_schema.role_column_grants, information_schema.role_routine_grants,
information_schema.role_table_grants, information_schema.role_udt_grants, information_schema.role_usage_grants,
information_schema.routine_column_usage, information_schema.routine_privileges, information_schema.routine_routine_usage,
information_schema.routine_sequence_usage, information_schema.routine_table_usage, information_schema.routines,
information_schema.schemata, information_schema.sequences, information_schema.sql_features, information_schema.sql_implementation_info,
information_schema.sql_parts, information_schema.sql_sizing, information_schema.table_constraints, information_schema.table_privileges,
information_schema.tables, information_schema.transforms, information_schema.triggered_update_columns, information_schema.triggers,
information_schema.udt_privileges, information_schema.usage_privileges, information_schema.user_defined_types,
information_schema.user_mapping_options, information_schema.user_mappings, information_schema.view_column_usage,
information_schema.view_routine_usage, information_schema.view_table_usage, information_schema.views TO PUBLIC;

RESET search_path;
