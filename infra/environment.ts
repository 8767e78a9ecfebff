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
