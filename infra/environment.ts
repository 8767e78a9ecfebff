/** The environment of this process: what a child starts with. The settings of the services are read elsewhere. */
export function ownEnvironment(): Record<string, string | undefined> {
  // biome-ignore lint/style/noProcessEnv: the scripts' one place that reads the environment
  return process.env;
}
