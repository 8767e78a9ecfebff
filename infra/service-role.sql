-- The role that Perch's services sign in with: it owns the schema, as migrations and the days of the access log need that,
-- and nothing besides. To be run by a superuser, on the database of Perch, before its first start; again where a superuser has
-- made tables.
begin;

-- Who holds a table, such as a backup that reads it, is waited for; then it is to be run again.
set local lock_timeout = '10s';

do $$
begin
  if not exists (select from pg_roles where rolname = 'perch_service') then
    create role perch_service login;
  end if;
  execute format('grant connect, temporary on database %I to perch_service', current_database());
end
$$;

alter role perch_service nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
alter schema public owner to perch_service;

-- Tables and views of releases whose services were the superuser. Sequences of columns go with their tables.
do $$
declare
  statement text;
begin
  for statement in
    select format('alter %s %s owner to perch_service', case relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass)
      from pg_class c
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'S', 'v')
        and relowner <> 'perch_service'::regrole
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
          and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i') and relkind = 'S')
    union all
    select format('alter routine %s owner to perch_service', oid::regprocedure)
      from pg_proc
      where pronamespace = 'public'::regnamespace and proowner <> 'perch_service'::regrole
  loop
    execute statement;
  end loop;
end
$$;

commit;
