import { type Config, loadConfig } from '../../shared/config.ts';
import { SECRET_SETTINGS } from '../../shared/secret-files.ts';
import type { ServerSettings } from '../servers/all.ts';

type Environment = Record<string, string | undefined>;

export interface ClusterSettings {
  /** As a service reads it, but for its files: they lie below the cluster's folder. */
  config: Config;
  /** Servers that need not be started; blank for the others. */
  servers: ServerSettings;
  /** Where the services differ from the environment that they inherit. */
  env: Record<string, string>;
}

/** The cookies' secret goes to the services besides, as it may have to be made. */
export function readSettings(environment: Environment, dir: string): ClusterSettings {
  const config = loadConfig({ ...environment, DATA_DIR: dir });
  const { pgUrl, redisUrl, natsUrl, s3 } = config;
  return {
    config,
    servers: {
      PG_URL: pgUrl ?? '',
      REDIS_URL: redisUrl ?? '',
      NATS_URL: natsUrl ?? '',
      S3_ENDPOINT: s3?.endpoint ?? '',
      S3_ACCESS_KEY: s3?.accessKey ?? '',
      S3_SECRET_KEY: s3?.secretKey ?? '',
      S3_REGION: s3?.region ?? '',
      // Also names the bucket in an S3 server of the cluster's own.
      S3_BUCKET: environment.S3_BUCKET?.trim() ?? '',
    },
    env: {
      // The services get values, and refuse a file beside one.
      ...Object.fromEntries(SECRET_SETTINGS.map((name) => [`${name}_FILE`, ''])),
      ADMIN_PASSWORD: config.adminPassword ?? '',
      WEBHOOK_SECRET: config.notifications.webhook?.secret ?? '',
      SMTP_URL: config.notifications.email?.smtpUrl ?? '',
      // Blank where it is unset: each process would else get its own address.
      BASE_URL: config.baseUrl ?? '',
      UPLOAD_DIR: config.uploadDir,
    },
  };
}
