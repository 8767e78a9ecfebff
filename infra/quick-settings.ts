/** Settings of a Perch that is put to the test: no limits by address, and sweeps that come soon. */
export const QUICK_SETTINGS = {
  LIMIT_UPLOADS_PER_HOUR: '0',
  LIMIT_READS_PER_MINUTE: '0',
  LIMIT_CHANGES_PER_HOUR: '0',
  LIMIT_OWNER_TOKENS_PER_MINUTE: '0',
  LIMIT_PREVIEWS_PER_MINUTE: '0',
  SWEEP_INTERVAL_SECONDS: '1',
  LOG_LEVEL: 'info',
};
