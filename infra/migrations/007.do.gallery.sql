-- The gallery: what it finds items by, and in which order it shows them.

do $migration$
declare
  -- What a letter is, and its lower case, must not depend on the locale that the database was made with.
  known text[] := array['pg_c_utf8', 'C.utf8', 'und-x-icu', 'default'];
  locale text := (
    select quote_ident(collname) from pg_collation
    where collnamespace = 'pg_catalog'::regnamespace and collname = any(known) and collencoding in (-1, 6)
    order by array_position(known, collname::text) limit 1
  );
begin
  -- The words of a text with blanks between them: lower case, accents and marks folded away, forms that mean the same
  -- made one (NFKC), punctuation left out (launch-notes.md is three words). Scripts that write no blanks between words
  -- come as single characters: a search for several of them is one for a phrase.
  execute format($function$
    create function gallery_words(value text) returns text immutable strict parallel safe
    return regexp_replace(
      regexp_replace(
        replace(replace(replace(replace(
          translate(
            normalize(lower(regexp_replace(
              normalize(value, NFKD),
              '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+',
              '', 'g'
            ) collate %1$s), NFKC),
            'øłđðħŧıς', 'olddhtiσ'
          ),
          'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') collate %1$s,
        '[^[:alnum:]]+', ' ', 'g'
      ),
      '([\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])', ' \1 ', 'g'
    )
  $function$, locale);
end
$migration$;

-- `array_to_string` counts as stable because of other types of elements.
create function gallery_document(title text, tags text[]) returns tsvector immutable strict parallel safe
return setweight(to_tsvector('pg_catalog.simple'::regconfig, gallery_words(title)), 'A')
  || setweight(to_tsvector('pg_catalog.simple'::regconfig, gallery_words(array_to_string(tags, ' '))), 'B');

-- What a listed item is found by. Only listed items have it: those in public without a password.
alter table items add column search tsvector generated always as (
  case when namespace = 'public' and password_hash is null then gallery_document(title, tags) end
) stored;

-- Without the list of pending entries, which every search would have to read through.
create index items_listed_words on items using gin (search, tags) with (fastupdate = off) where search is not null;
-- With the expiry, so that items can be counted and passed over without a look at their rows.
create index items_listed_date on items (created_at, id) include (expires_at) where search is not null;
create index items_listed_views on items (views, created_at, id) include (expires_at) where search is not null;
create index items_listed_kind_date on items (kind, created_at, id) include (expires_at) where search is not null;
create index items_listed_kind_views on items (kind, views, created_at, id) include (expires_at) where search is not null;
