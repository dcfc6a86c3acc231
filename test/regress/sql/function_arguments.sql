-- Functions called by hand, with arguments that the system itself never gives them.
select numerictypmodin('{NULL}');
select numerictypmodin('{5,NULL}');
select numerictypmodin('{{1,2}}');
select numerictypmodin('{}');
select numerictypmodin('{5,2}'), intervaltypmodin('{32767,3}'), timestamptypmodin('{3}'), varchartypmodin('{7}');
select intervaltypmodin('{NULL}');
select intervaltypmodin('{4,1,1}');
select intervaltypmodin('{}');
select timetypmodin('{NULL}');
select timetypmodin('{1,2}');
select bpchartypmodin('{x}');
select bpchartypmodin('{x,NULL}');
select varchartypmodin('[5:5]={3}');
select bool_accum(null, true);
select null::internal;
select 'x'::internal;
prepare accumulate as select int8_avg_accum($1, 1::int8);
-- Arguments that are constants stay what they are, row after row.
prepare lengths(timestamp, interval) as select g, ($1, $2) overlaps ($1, $2), overlaps($1, $2, $1 + $2, $1), ($1, interval '1 day') overlaps (timestamp '2000-01-02', interval '1 hour')
  from generate_series(1, 3) g;
execute lengths('2000-01-01', '1 day');
execute lengths('2000-01-01', null);
prepare parts(date) as select g, date_part('day', $1), date_part('year', $1) from generate_series(1, 3) g;
execute parts('2004-05-06');
set plan_cache_mode = force_generic_plan;
execute lengths('2000-01-01', '1 day');
execute parts('2004-05-06');
reset plan_cache_mode;
select (timestamptz '2000-01-01 00:00+00', interval '1 day') overlaps (timestamptz '2000-01-01 12:00+00', timestamptz '2000-01-03 00:00+00') from generate_series(1, 2);
select (time '23:00', interval '2 hours') overlaps (time '00:30', time '01:30') from generate_series(1, 2);
select (time '24:00', time '23:59') overlaps (null::time, interval '1 day') from generate_series(1, 2);
select g, (timestamp '2000-01-01', interval '1 day') overlaps (timestamp '2000-01-01 12:00', timestamp '2000-01-05'),
  (timestamp '2000-01-01', timestamp '2000-01-02') overlaps (timestamp '2000-01-01 12:00', interval '1 day'),
  (timestamptz '2000-01-01', timestamptz '2000-01-02') overlaps (timestamptz '2000-01-03 12:00', interval '1 day'),
  (time '10:00', time '11:00') overlaps (time '10:30', interval '1 hour'), (time '10:00', interval '10 minutes') overlaps (time '10:30', time '11:30')
  from generate_series(1, 2) g;
-- Long numbers take no longer than their results ask for.
set statement_timeout = '20s';
select count(ln('1e131000'::numeric + g)), count(log('1e131000'::numeric + g)), count(('1e130000'::numeric + g) ^ '0.01'), count(power('1e131000'::numeric + g, '1e-16383')) from generate_series(1, 10) g;
reset statement_timeout;
select ln('1e131000'::numeric), log('1e131000'::numeric), log('1e1000'::numeric, '1e2000'::numeric), power('1e131000'::numeric, '1e-4');
select log(1.0000000001, 1.0000000002), log(1.00000000000000000001, 7), log(0.9999, 12345678901234567890.123), ln(1.00000000000000000000000000001), ln(0.99999);
select power(('1e300'::numeric + 1) ^ 2, 0.5) = '1e300'::numeric + 1, power(1.000000000000000001, 1000000000000000000.5), power(123456789.987, -3.21), power(0.0000001, 12.5), power(2.5, 100.125);
select (1.0000001::numeric) ^ 123456789, (99999999999.99::numeric) ^ 20, 1.5 ^ (-200), (-3.3) ^ 77;
