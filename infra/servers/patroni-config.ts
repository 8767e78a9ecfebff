/** A member of a Patroni cluster on loopback. */
export interface PatroniMember {
  name: string;
  /** Of PostgreSQL, and of Patroni's own interface. */
  port: number;
  restPort: number;
  /** Its folder: settings, and PostgreSQL's data below it. */
  folder: string;
}

/**
 * The holder of the lease in etcd is the primary. It has to renew it in `ttl` seconds or becomes a standby by itself, before
 * another one may take it: `loop_wait + 2 × retry_timeout` is less than `ttl`. Patroni 3.2 and later allow no `ttl` below 20.
 */
const LEASE = { ttl: 8, loop_wait: 1, retry_timeout: 3 } as const;

/**
 * Patroni's settings; JSON is YAML, too. With `synchronous_mode` a commit waits for the standby, and only a standby that has
 * every acknowledged commit is promoted. Without a standby the primary goes on alone.
 */
export function patroniConfig(
  member: PatroniMember,
  { etcd, binaries, fsync }: { etcd: string; binaries: string; fsync: boolean },
): string {
  const { name, port, restPort, folder } = member;
  const address = `127.0.0.1:${port}`;
  const trusted = ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'];
  return JSON.stringify({
    ...{ scope: 'perch', name },
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { hosts: etcd },
    bootstrap: {
      dcs: {
        ...LEASE,
        // A primary that has ended is not started again where it was: a standby is there already.
        primary_start_timeout: 0,
        synchronous_mode: true,
        maximum_lag_on_failover: 0,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: {
            ...{ max_connections: 400, wal_log_hints: 'on', fsync: fsync ? 'on' : 'off' },
            ...{ timezone: 'UTC', log_timezone: 'UTC' },
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, { auth: 'trust' }, { username: 'postgres' }],
      pg_hba: trusted,
    },
    postgresql: {
      ...{ listen: address, connect_address: address, bin_dir: binaries, data_dir: `${folder}/data` },
      ...{ pg_hba: trusted, pgpass: `${folder}/pgpass` },
      parameters: { unix_socket_directories: '' },
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'postgres' } },
    },
  });
}
