/** A file that somebody with bad intentions, or bad luck, sends. */
export interface HostileFile {
  name: string;
  /** As the multipart part carries it. */
  filename: string;
  bytes: Uint8Array;
  expected: {
    status: 201 | 400 | 415 | 422;
    /** The content type it is served with, after a 201. */
    contentType?: string;
  };
}

/** Where hostile scripts leave a trace when they run with an origin that has storage: a key of localStorage. */
export const TRACE = 'perch-hostile';

/** Leaves the trace; does nothing in an opaque origin. */
export const SCRIPT = `try{localStorage.setItem('${TRACE}',location.href)}catch(e){}`;

export const HTML = `<!doctype html><html><body><h1>Sign in</h1><script>${SCRIPT}</script></body></html>`;

/** A file that is admitted and served as that type. */
export const accepted = (
  name: string,
  filename: string,
  bytes: Uint8Array,
  contentType: string,
): HostileFile => ({
  name,
  filename,
  bytes,
  expected: { status: 201, contentType },
});

/** A file whose content is rejected. */
export const rejected = (name: string, filename: string, bytes: Uint8Array): HostileFile => ({
  name,
  filename,
  bytes,
  expected: { status: 422 },
});

/** A file whose extension is not admitted. */
export const unsupported = (name: string, filename: string, bytes: Uint8Array): HostileFile => ({
  name,
  filename,
  bytes,
  expected: { status: 415 },
});
