-- Malformed files of COPY's binary format, from a server's program and through psql.
create table bytes (a int, b text);
\set show 'select a, b, octet_length(b) from bytes order by a; truncate bytes;'
copy bytes from program 'printf ''''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\001\000\000\000\000\000\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\001\000\000\000\000\000\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\002\000\000\000\000\000\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\002\000\000\000\000\000\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\200\000\000\000\000\000\000\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\200\000\000\000\000\000\000\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\005ab''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\005ab''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\377\377\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\377\377\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\177\377\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\177\377\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\002ab\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\002ab\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\377\377x''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\377\377x''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\001''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\001''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\003''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\003''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\377\376''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\377\376''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\000\000\000\003ab''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\000\000\000\003ab''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\000\000\000\003abc''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\000\000\000\003abc''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\000\000\000\003abc\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\000\000\000\003abc\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\377\377\377\377\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\377\377\377\377\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\377\377\377\376''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\377\377\377\376''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\200\000\000\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\200\000\000\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\177\377\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\177\377\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\077\377\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\077\377\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\177\377\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\177\377\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\077\377\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\077\377\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\100\000\000\000''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\100\000\000\000''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\005\000\000\000\007\000\377\377\377\377\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\005\000\000\000\007\000\377\377\377\377\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\003\000\000\000\377\377\377\377\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\003\000\000\000\377\377\377\377\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\000\377\377\377\377\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\000\377\377\377\377\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\000\000\000\000\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\000\000\000\000\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\000\000\000\001\300\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\000\000\000\001\300\377\377''' (format binary)
\echo :SQLSTATE
:show
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\000\000\000\001\000\377\377''' (format binary);
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\000\000\000\001\000\377\377''' (format binary)
\echo :SQLSTATE
:show
\copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\003\000\000\000\000''' (format binary)
copy bytes from program 'printf ''PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\000\002\000\000\000\004\000\000\000\007\000\000\000\001a\000\002\000\000\000\004\000\000\000\007\000\000\000\004a''' (format binary);
drop table bytes;
