/** The fields of a create that depend on the kind. */
export type DemoContent =
  | { kind: 'html'; type: 'text/html' | 'text/markdown'; text: string }
  | { kind: 'json'; document: unknown }
  /** The first key is the one it is created with. */
  | { kind: 'kv'; entries: Record<string, unknown> }
  | { kind: 'file'; filename: string; bytes: Uint8Array }
  | { kind: 'site'; files: Record<string, string> };

/** Something that somebody might publish. */
export interface DemoDraft {
  title: string;
  tags: string[];
  content: DemoContent;
}

/** An item with its publishing parameters. */
export interface DemoItem extends DemoDraft {
  ttlDays: number;
  /** `null`: `public`. */
  namespace: string | null;
  password: string | null;
}

/** An item that is there. */
export interface PublishedItem extends DemoItem {
  path: string;
  /** For the API, behind its kind's address. */
  apiPath: string;
  codePath: string;
  url: string;
}
