import { type Static, Type } from '@sinclair/typebox';
import { defineOperation } from './operation.ts';

/** A process of the server, as it tells of itself. */
export const ProcessReport = Type.Object({
  processId: Type.String(),
  /** Its name, such as `gateway`. In embedded mode one process runs all services, and tells of each. */
  service: Type.String(),
  version: Type.String(),
  startedAt: Type.Integer(),
  memoryBytes: Type.Integer(),
});
export type ProcessReport = Static<typeof ProcessReport>;

/** Notes that a gateway is there, or with `leaves` that it stops; services note it themselves. */
export const reportProcess = defineOperation({
  subject: 'content.report-process',
  input: Type.Object({ process: ProcessReport, leaves: Type.Boolean() }),
  reply: Type.Object({}),
  timeoutMs: 3_000,
  retry: false,
});

/** Processes, what is stored, and the work that waits. */
export const describeServer = defineOperation({
  subject: 'content.describe-server',
  input: Type.Object({}),
  reply: Type.Object({
    processes: Type.Array(Type.Composite([ProcessReport, Type.Object({ seenAt: Type.Integer() })])),
    databaseBytes: Type.Integer(),
    /** The newest migration. */
    schema: Type.Integer(),
    /** Blobs that were part of an item, and are removed once their readers have had time to finish. */
    blobsWaiting: Type.Integer(),
    /** Blobs without an item whose time is over, those of broken uploads among them: the sweep removes them. */
    blobsDue: Type.Integer(),
    /** Items whose time is over, and that the sweep has not removed yet. */
    itemsDue: Type.Integer(),
    /** Takedowns of owners that are not finished. */
    takedowns: Type.Integer(),
    newReports: Type.Integer(),
    /** Sign-ins to the console that are open. */
    sessions: Type.Integer(),
  }),
  timeoutMs: 5_000,
  retry: true,
});

/** Batches of access events on their way into the log. */
export const describeBacklog = defineOperation({
  subject: 'analytics.describe-backlog',
  input: Type.Object({}),
  reply: Type.Object({ waitingBatches: Type.Integer() }),
  timeoutMs: 4_000,
  retry: true,
});
