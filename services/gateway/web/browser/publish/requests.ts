import { editing, publishing as texts } from '../../texts/page-language.ts';
import { asHeader } from '../header-text.ts';
import type { FormKind } from './content-kinds.ts';
import { chosen } from './files.ts';
import { pairs } from './pairs.ts';
import type { Upload } from './upload.ts';

/**
 * The uploads that publish what is in the form: one, or one for each of several files. The parameters of all kinds are in
 * the query, but the password never is: addresses get logged.
 * @throws Error what is missing, for the reader
 */
export function requestsOf(kind: FormKind, fields: FormData, namespace: string | null): Upload[] {
  const query = new URLSearchParams();
  for (const name of ['title', 'ttl', 'entry', 'id', 'tags']) {
    const value = textOf(fields, name).trim();
    if (value !== '') query.set(name, value);
  }
  if (namespace !== null) query.set('ns', namespace);
  return uploads[kind](fields).map(({ address, ...upload }) => ({
    ...upload,
    address: query.size === 0 ? address : `${address}?${query}`,
  }));
}

const uploads: Record<FormKind, (fields: FormData) => Upload[]> = {
  page: (fields) => [
    {
      address: '/api/html',
      type: 'application/json',
      body: JSON.stringify({
        content: writtenIn(fields, 'content'),
        format: textOf(fields, 'format'),
        password: textOf(fields, 'password'),
      }),
    },
  ],
  file(fields) {
    if (chosen.file.length === 0) throw new Error(texts.noFile);
    if (chosen.file.length > 1 && textOf(fields, 'id').trim() !== '') throw new Error(texts.oneId);
    return chosen.file.map(({ file }) => {
      const body = formWithPassword(fields);
      body.append('file', file, file.name);
      return { address: '/api/files', body, file };
    });
  },
  site(fields) {
    const [first, ...others] = chosen.site;
    if (first === undefined) throw new Error(texts.noSite);
    const body = formWithPassword(fields);
    if (others.length === 0 && /\.zip$/i.test(first.path)) body.append('archive', first.file);
    else
      for (const { file, path } of chosen.site) {
        body.append('paths', path);
        body.append('files', file);
      }
    return [{ address: '/api/sites', body }];
  },
  // The whole body is the document: there is no other place for its password than a header, which takes bytes.
  json: (fields) => {
    const password = textOf(fields, 'password');
    return [
      {
        address: '/api/json',
        type: 'application/json',
        body: writtenIn(fields, 'document'),
        ...(password === '' ? {} : { headers: { 'X-Password': asHeader(password) } }),
      },
    ];
  },
  kv(fields) {
    const [{ key, json }, ...others] = pairs();
    const password = JSON.stringify(textOf(fields, 'password'));
    return [
      {
        address: '/api/kv',
        type: 'application/json',
        body: `{"key":${JSON.stringify(key)},"value":${json},"password":${password}}`,
        further: others,
      },
    ];
  },
};

const textOf = (fields: FormData, name: string): string => {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
};

/**
 * The text of a field that has to have one. The form asks for it here, and not by `required`: where an editor has replaced the
 * field, a browser would lead to what nobody sees.
 */
function writtenIn(fields: FormData, name: string): string {
  const text = textOf(fields, name);
  if (text.trim() === '') throw new Error(editing.empty);
  return text;
}

/** Starts a form body with the password. */
function formWithPassword(fields: FormData): FormData {
  const form = new FormData();
  form.append('password', textOf(fields, 'password'));
  return form;
}
