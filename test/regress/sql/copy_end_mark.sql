-- End marks, backslashes at the ends of lines and kinds of line ends, from a server's program and through psql.
create table mark (a int, b text);
\set show 'select a, b, octet_length(b) from mark order by a; truncate mark;'

-- format text
copy mark from program 'printf ''1\ta\\.\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\\.\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\\.\n2\tb\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\\.\n2\tb\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\\.''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\\.''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\t\\''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\t\\''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''\\.x\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''\\.x\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\n\\.x\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\n\\.x\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\n\\.''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\n\\.''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\n\\.\n2\tb\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\n\\.\n2\tb\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\\\n\\.\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\\\n\\.\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\\\nb\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\\\nb\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\r\n\\.\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\r\n\\.\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\r\n\\.\r\n2\tb\r\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\r\n\\.\r\n2\tb\r\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\r\n\\.\rx''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\r\n\\.\rx''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\n\\.\r\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\n\\.\r\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\r\\.\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\r\\.\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\r\\.\r2\tb\r''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\r\\.\r2\tb\r''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''\\.\r\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''\\.\r\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\\.b\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\\.b\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\\\\.\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\\\\.\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\rb\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\rb\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\n2\tb\r\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\n2\tb\r\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\r\n2\tb\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\r\n2\tb\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\r\n2\tb\r3\tc\r\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\r\n2\tb\r3\tc\r\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\r2\tb\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\r2\tb\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\\.\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\\.\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\\\r\nb\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\\\r\nb\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\ta\r\n2\tb\\\r\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\ta\r\n2\tb\\\r\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\t\\N\\.\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\t\\N\\.\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\t\\x\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\t\\x\n''' (format text)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1\t\\x4\\.\n''' (format text);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1\t\\x4\\.\n''' (format text)
\echo :SQLSTATE
:show

-- format csv
copy mark from program 'printf ''1,a\\.\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\\.\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\\.''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\\.''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''\\.x\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''\\.x\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\n\\.x\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\n\\.x\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\n\\.''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\n\\.''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\n\\.\n2,b\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\n\\.\n2,b\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\r\n\\.\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\r\n\\.\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\r\n\\.\r\n2,b\r\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\r\n\\.\r\n2,b\r\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\r\n\\.\rx\r\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\r\n\\.\rx\r\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\n\\.\r\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\n\\.\r\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\r\\.\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\r\\.\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\r\\.\r2,b\r''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\r\\.\r2,b\r''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''\\.\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''\\.\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,"a\n\\.\nb"\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,"a\n\\.\nb"\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\rb\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\rb\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\n2,b\r\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\n2,b\r\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\r\n2,b\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\r\n2,b\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\r\n2,b\r3,c\r\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\r\n2,b\r3,c\r\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\r2,b\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\r2,b\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,"a\r\nb"\n2,c\n''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,"a\r\nb"\n2,c\n''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,\\''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,\\''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,"a''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,"a''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''\\,"''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''\\,"''' (format csv)
\echo :SQLSTATE
:show
copy mark from program 'printf ''1,a\r''' (format csv);
\echo :SQLSTATE
:show
\copy mark from program 'printf ''1,a\r''' (format csv)
\echo :SQLSTATE
:show

-- a backslash that ends the input does not count
copy mark from program 'printf ''1\t\\N\\''' (format text);
copy mark from program 'printf ''2\tb\\''' (format text, null 'b');
copy mark from program 'printf ''3\t\\N\\\n''' (format text);
:show

-- lines within quoted fields count
copy mark from program 'printf ''1,"a\nb"\n2,"c\r\nd\n\n"\nx,y\n''' (format csv);
copy mark from program 'printf ''1,"a\r\nb"\r\n2,"c\r\nd\n\r"\r\nx,y\r\n''' (format csv);
copy mark from program 'printf ''1,"a\nb"\r2,"c\r\nd\n\r"\rx,y\r''' (format csv);
copy mark from program 'printf ''1,"a\rb\r"\n2,"c\n''' (format csv);
drop table mark;
