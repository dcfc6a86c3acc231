-- Options of COPY: what each does, what is refused, and in which order.
create table opt (a int, b text, c int);
insert into opt values (1, 'a"b', 2), (2, E'tab\there\nnl\\.', null), (3, '', 5), (4, '\N', 1), (5, 'x,y', 1), (6, '\.', 1), (7, ' lead ', 1), (8, null, 1);

-- lists of columns, in parentheses and in the old words
copy opt to stdout (format csv, force_quote (b, a));
copy opt to stdout (format csv, force_quote *);
copy opt to stdout csv quote as '"' escape as '"' force quote a, b;
copy (select a, b as name from opt where a < 3) to stdout (format csv, header, force_quote (name));
copy opt to stdout (format csv, force_quote (nosuch));
copy opt (a) to stdout (format csv, force_quote (b));
copy (select a from opt) to stdout (format csv, force_quote (b));
copy opt from stdin (format csv, force_null (nosuch));
\.
copy opt from stdin (format csv, force_not_null (nosuch));
\.
copy opt (a) from stdin (format csv, force_not_null (b));
\.
copy opt (a) from stdin (format csv, force_null (b));
\.
copy opt from stdin (format csv, force_null *);
\.
copy opt from stdin (format csv, force_null a);
\.
copy opt from stdin (format csv, force_null (a), force_null (b));
\.
copy opt from stdin (format csv, force_null (c), force_not_null (b));
20,,
21,"",""
22,x,""
\.
copy opt from stdin csv force not null b;
23,,5
\.
select * from opt where a >= 20 order by a;
delete from opt where a >= 20;

-- options that want a value
copy opt from stdin (format);
\.
copy opt from stdin (delimiter);
\.
copy opt from stdin (null);
\.
copy opt from stdin (quote);
\.
copy opt from stdin (escape);
\.
copy opt from stdin (encoding);
\.
copy opt from stdin (encoding nosuch);
\.
copy opt to stdout (header maybe);
copy opt to stdout (header match);
copy opt to stdout (freeze 5);
copy opt from stdin (nosuch, delimiter 'ab');
\.

-- the table first, then the options
copy nosuch from stdin with (foo);
\.
copy nosuch from stdin with (format foo);
\.
copy opt (nosuch) from stdin (format foo);
\.
copy opt from stdin (format foo) where nosuch;
\.
copy (select nosuch) to stdout (format foo);
create index opt_a on opt (a);
copy opt_a to stdout;
copy opt_a from stdin;
\.
copy (select 1 into other) to stdout;
create table opt_parts (a int) partition by list (a);
copy opt_parts from stdin (freeze);
\.

-- programs
copy opt from program 'exit 3';
copy opt from program 'nosuchprogram 2>/dev/null';
copy opt from program 'kill -15 $$';
copy opt from program 'printf "30\tb\t5\n"; exit 4';
copy opt from program 'printf "31\tb\t5\n"';
copy opt from program 'printf "32\tb\t5\n\\\\.\n"; cat /dev/zero';
copy opt to program 'exit 3';
copy opt to program 'cat > /dev/null; kill -9 $$';
copy (select generate_series(1, 200000)) to program 'head -1 > /dev/null';
copy (select generate_series(1, 200000)) to program 'exit 4';
select a from opt where a >= 30 order by a;
drop table opt, opt_parts;

-- values that are lists, signs or missing
create table listed (a int, b text);
copy listed from stdin (header (b));
\.
copy listed from stdin (freeze (a));
\.
copy listed from stdin (format csv, force_not_null *);
1,
\.
copy listed from stdin (null);
\.
copy listed from stdin (delimiter);
\.
copy listed from stdin (format csv, quote);
\.
copy listed from stdin (format csv, escape);
\.
copy listed from stdin (format (csv));
\.
copy listed from stdin (delimiter (a));
\.
copy listed from stdin (null (a));
\.
copy listed from stdin (encoding (utf8));
\.
copy listed from stdin (header *);
\.
copy listed from stdin (freeze *);
\.
copy listed from stdin (format *);
\.
copy listed from stdin (delimiter *);
\.
copy listed from stdin (header 1);
\.
copy listed from stdin (header 2);
\.
copy listed from stdin (header 1.0);
\.
copy listed from stdin (header 'ON');
\.
copy listed from stdin (header Match);
a	b
\.
copy listed from stdin (freeze 'yes');
\.
copy listed from stdin (freeze 1);
\.
copy listed from stdin (force_null);
\.
copy listed from stdin (force_not_null 'b');
\.
copy listed to stdout (force_quote (*));
copy listed to stdout (format csv, force_quote b);
copy listed to stdout (format csv, force_quote);
copy listed to stdout (format csv, force_quote ());
copy listed to stdout (header ());
copy listed to stdout (format csv, null (a, b));
copy listed to stdout (format CSV);
copy listed to stdout (format "CSV");
copy listed to stdout (format text, null '');
copy listed to stdout (delimiter '');
copy listed to stdout (format csv, quote '');
copy listed to stdout (format csv, escape '');
copy listed to stdout (encoding '');
copy listed to stdout (null 5);
copy listed to stdout (delimiter 5, null 6);
copy listed to stdout (format csv, quote 5);
copy listed to stdout (header true, header false);
copy listed to stdout (header null);
copy listed to stdout (null default);
copy listed to stdout (freeze);
copy listed to stdout (freeze off);
copy listed to stdout (format csv, force_not_null (a));
copy listed to stdout (format csv, force_null *);
copy listed to stdout (a.b);
copy listed to stdout (header -1);
copy listed to stdout (format csv, null (a, b));
copy listed from stdin (format (csv, text));
\.
copy listed to stdout (header (true), format (csv));
insert into listed values (1, null);
copy listed to stdout (null (a, b));
drop table listed;
