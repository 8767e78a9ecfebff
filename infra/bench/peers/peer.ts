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

/**
 * The answer to a request that creates something. A peer may close a kept connection just as a request leaves on it; that one
 * is sent again. @throws Error when it was refused
 */
export async function created(url: string, init: RequestInit): Promise<Response> {
  const send = (): Promise<Response> => fetch(url, { redirect: 'manual', ...init });
  const response = await send().catch(send);
  if (response.status >= 400) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}
