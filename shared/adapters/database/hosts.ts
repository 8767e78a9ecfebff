import type { ServerList } from '../../server-list.ts';

const USUAL_PORT = 5432;

export interface Host {
  host: string;
  port: number;
}

/** Which of several servers is tried next, as only one of them takes changes. */
export interface HostChoice {
  /** How many there are. */
  readonly count: number;
  /** `null` when there is one: it stands in the client's own address. */
  choose(): Host | null;
  /** Turns away from a server that was not there, or is a standby. */
  failed(host: Host): void;
}

/** Stays with a server until that one has failed, then tries the others in turn. */
export function createHostChoice(servers: ServerList['servers']): HostChoice {
  const hosts = servers.map(({ host, port }): Host => ({ host, port: port ?? USUAL_PORT }));
  let place = 0;
  return {
    count: hosts.length,
    choose: () => (hosts.length > 1 ? (hosts[place] ?? null) : null),
    failed(host) {
      // Many connections hear of it at once: the first one has turned away from it already.
      if (host === hosts[place]) place = (place + 1) % hosts.length;
    },
  };
}
