-- COPY in its formats.
create table c (a int, b text, d numeric);
copy c from stdin;
1	one	1.5
2	t\tab	\N
3	\N	3
\.
copy c to stdout;
copy c (b, a) to stdout with (format csv, header);
copy c from stdin with (format csv, header, null 'NULL');
a,b,d
4,"quo""ted, yes",4.25
5,NULL,NULL
\.
select * from c order by a;
copy (select a, d from c where a > 3 order by a) to stdout (delimiter '|', null '-');
copy c from stdin;
x	bad	1
\.
copy c from stdin;
6	short
\.
copy c from stdin;
7	long	1	2
\.
copy nothere from stdin;
copy c (nothing) from stdin;
copy c from stdin (format nosuch);
select count(*) from c;
drop table c;
