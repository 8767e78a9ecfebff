/** Addresses of a published text. */
export interface Addresses {
  /** The address that a person opens; `null` where there is only the text itself. */
  page: string | null;
  raw: string;
}

/** A running service that takes texts. */
export interface Peer {
  name: string;
  /** The processes it consists of, without their children. */
  pids: number[];
  publish(text: string): Promise<Addresses>;
}

/** The answer to a request that creates something. @throws Error when it was refused */
export async function created(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  if (response.status >= 400) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}
