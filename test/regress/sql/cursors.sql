-- cursors in use: WHERE CURRENT OF, tables that a cursor reads, pg_cursors
CREATE TABLE rows_of_cursor (a int PRIMARY KEY, b text);
INSERT INTO rows_of_cursor SELECT g, 'row ' || g FROM generate_series(1, 5) g;

BEGIN;
DECLARE c CURSOR FOR SELECT * FROM rows_of_cursor ORDER BY a;
FETCH 2 FROM c;
UPDATE rows_of_cursor SET b = 'changed' WHERE CURRENT OF c;
ROLLBACK;

BEGIN;
DECLARE c CURSOR FOR SELECT * FROM rows_of_cursor;
UPDATE rows_of_cursor SET b = 'no' WHERE CURRENT OF c;
ROLLBACK;

BEGIN;
DECLARE c CURSOR FOR SELECT * FROM rows_of_cursor;
FETCH 2 FROM c;
UPDATE rows_of_cursor SET b = 'changed' WHERE CURRENT OF c RETURNING *;
FETCH 1 FROM c;
DELETE FROM rows_of_cursor WHERE CURRENT OF c;
DELETE FROM rows_of_cursor WHERE CURRENT OF c;
FETCH ALL FROM c;
SAVEPOINT s;
UPDATE rows_of_cursor SET b = 'no' WHERE CURRENT OF c;
ROLLBACK TO s;
COMMIT;
SELECT * FROM rows_of_cursor ORDER BY a;

BEGIN;
DECLARE c CURSOR FOR SELECT * FROM rows_of_cursor WHERE a > 3 FOR UPDATE;
FETCH FROM c;
UPDATE rows_of_cursor SET b = 'locked' WHERE CURRENT OF c;
SELECT * FROM rows_of_cursor WHERE a > 3 ORDER BY a;
EXPLAIN (COSTS off) UPDATE rows_of_cursor SET b = 'x' WHERE CURRENT OF c;
COMMIT;

UPDATE rows_of_cursor SET b = 'no' WHERE CURRENT OF nobody;
BEGIN;
DECLARE c CURSOR FOR SELECT 1;
FETCH FROM c;
UPDATE rows_of_cursor SET b = 'no' WHERE CURRENT OF c;
ROLLBACK;
BEGIN;
DECLARE c CURSOR FOR SELECT count(*) FROM rows_of_cursor;
FETCH FROM c;
UPDATE rows_of_cursor SET b = 'no' WHERE CURRENT OF c;
ROLLBACK;
BEGIN;
CREATE TEMP TABLE other_rows (a int);
DECLARE c CURSOR FOR SELECT * FROM other_rows;
FETCH FROM c;
DELETE FROM rows_of_cursor WHERE CURRENT OF c;
ROLLBACK;
BEGIN;
DECLARE c CURSOR WITH HOLD FOR SELECT * FROM rows_of_cursor;
FETCH FROM c;
COMMIT;
FETCH FROM c;
DELETE FROM rows_of_cursor WHERE CURRENT OF c;
CLOSE c;
SELECT * FROM rows_of_cursor WHERE CURRENT OF c;

-- tables that a cursor reads
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM rows_of_cursor;
FETCH FROM c;
SAVEPOINT s;
ALTER TABLE rows_of_cursor ADD COLUMN c int;
ROLLBACK TO s;
DROP TABLE rows_of_cursor;
ROLLBACK TO s;
TRUNCATE rows_of_cursor;
ROLLBACK TO s;
CREATE INDEX ON rows_of_cursor (b);
ROLLBACK TO s;
ALTER TABLE rows_of_cursor RENAME COLUMN b TO text_of_row;
ROLLBACK TO s;
CLOSE c;
ALTER TABLE rows_of_cursor ADD COLUMN c int;
ROLLBACK;

-- what is open
BEGIN;
DECLARE a CURSOR FOR SELECT 1;
DECLARE b SCROLL CURSOR WITH HOLD FOR SELECT 2;
DECLARE c BINARY NO SCROLL CURSOR FOR SELECT 3;
SELECT name, statement, is_holdable, is_binary, is_scrollable FROM pg_cursors ORDER BY name;
COMMIT;
SELECT name, is_holdable FROM pg_cursors;
CLOSE ALL;
SELECT count(*) FROM pg_cursors;
DROP TABLE rows_of_cursor;
