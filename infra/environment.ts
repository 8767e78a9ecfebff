/** The environment of this process: what a child starts with. The settings of the services are read elsewhere. */
export function ownEnvironment(): Record<string, string | undefined> {
  // biome-ignore lint/style/noProcessEnv: the scripts' one place that reads the environment
  return process.env;
}

/** Takes the servers' addresses out of what a child inherits: an embedded Perch, and what a test gives its own to. */
export const NO_SERVERS = {
  PG_URL: undefined,
  REDIS_URL: undefined,
  NATS_URL: undefined,
  S3_ENDPOINT: undefined,
};

/** Settings of a Perch that is put to the test: no limits by address, sweeps that come soon, and cheap hashes of passwords. */
export const QUICK_SETTINGS = {
  LIMIT_UPLOADS_PER_HOUR: '0',
  LIMIT_READS_PER_MINUTE: '0',
  LIMIT_CHANGES_PER_HOUR: '0',
  LIMIT_OWNER_TOKENS_PER_MINUTE: '0',
  LIMIT_PREVIEWS_PER_MINUTE: '0',
  SWEEP_INTERVAL_SECONDS: '1',
  PASSWORD_HASH_KB: '64',
  LOG_LEVEL: 'info',
};
