/** The host of the document's examples. */
const HOST = 'https://perch.example';

const NAME = { namespace: 'public', id: 'Ab3dE6gH9k' };
const ADDRESS = `${HOST}/public/Ab3dE6gH9k`;
const URLS = { url: ADDRESS, shortUrl: `${HOST}/s/k3Xq9Za`, link: ADDRESS };
const CREATED_AT = '2026-11-21T07:20:21.000Z';
const UPDATED_AT = '2026-11-22T09:00:00.000Z';
const EXPIRES_AT = '2026-12-06T07:20:21.000Z';

/** Where an item of a kind is in the API. */
const ownerLink = (kind: string) => ({ ownerLink: `${HOST}/api/${kind}/public/Ab3dE6gH9k` });

export const SAMPLE = {
  name: NAME,
  url: ADDRESS,
  host: HOST,
  createdAt: CREATED_AT,
  updatedAt: UPDATED_AT,
  expiresAt: EXPIRES_AT,
} as const;

/** Where an item is served that nothing was said of. */
export const hostingSample = {
  deliveryMode: 'path',
  requestedDeliveryMode: null,
  effectiveDeliveryMode: 'path',
  deliveryModeMatched: true,
  hostUrl: null,
  access: 'public',
  managementLink: `${HOST}/manage/public/Ab3dE6gH9k`,
  hostingVersion: 1,
};

/** The part of a create's answer that all kinds share. */
export const createdSample = (kind: string, sizeBytes: number) => ({
  ...NAME,
  ...URLS,
  ...ownerLink(kind),
  ownerToken: 'own_Jx0pZ6Wc2Vn7bQ1sT4uY8kLmN3rE5aG9hDfKiOjPqRt',
  title: 'Launch',
  sizeBytes,
  tags: ['docs', 'launch'],
  ttlDays: 15,
  hasPassword: false,
  createdAt: CREATED_AT,
  expiresAt: EXPIRES_AT,
  ...hostingSample,
});

/** The part of an update's answer that all kinds share. */
export const updatedSample = (kind: string, sizeBytes: number) => ({
  ...NAME,
  ...URLS,
  ...ownerLink(kind),
  title: 'Launch',
  sizeBytes,
  createdAt: CREATED_AT,
  updatedAt: UPDATED_AT,
  expiresAt: EXPIRES_AT,
  ...hostingSample,
});

/** The part of a list's entry that all kinds share. */
export const listedSample = {
  ...NAME,
  ...URLS,
  title: 'Launch',
  tags: ['docs', 'launch'],
  hasPassword: false,
  ttlDays: 15,
  createdAt: CREATED_AT,
  updatedAt: UPDATED_AT,
  expiresAt: EXPIRES_AT,
  views: 12,
};

/** A picture of one pixel. */
export const PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A site of two files. */
export const SITE_FILES = [
  {
    path: 'index.html',
    type: 'text/html',
    value:
      '<!doctype html>\n<title>Launch</title>\n<link rel="stylesheet" href="assets/site.css">\n<h1>Launch</h1>\n',
  },
  { path: 'assets/site.css', type: 'text/css', value: 'h1 { color: teal }\n' },
];

/** The site of `SITE_FILES` as a ZIP. */
export const SITE_ZIP_BASE64 =
  'UEsDBBQAAAAAAAAAIVzqRVYAZQAAAGUAAAAKAAAAaW5kZXguaHRtbDwhZG9jdHlwZSBodG1sPgo8dGl0bGU+TGF1bmNoPC90aXRsZT4KPGxpbmsgcmVsPSJzdHlsZXNoZWV0IiBocmVmPSJhc3NldHMvc2l0ZS5jc3MiPgo8aDE+TGF1bmNoPC9oMT4KUEsDBBQAAAAAAAAAIVxcx2JXEwAAABMAAAAPAAAAYXNzZXRzL3NpdGUuY3NzaDEgeyBjb2xvcjogdGVhbCB9ClBLAQIUABQAAAAAAAAAIVzqRVYAZQAAAGUAAAAKAAAAAAAAAAAAAAAAAAAAAABpbmRleC5odG1sUEsBAhQAFAAAAAAAAAAhXFzHYlcTAAAAEwAAAA8AAAAAAAAAAAAAAAAAjQAAAGFzc2V0cy9zaXRlLmNzc1BLBQYAAAAAAgACAHUAAADNAAAAAAA=';
