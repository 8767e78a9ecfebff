import { type Static, Type } from '@sinclair/typebox';
import { KINDS } from '../items/item.ts';
import { QuarantineState } from '../items/quarantine.ts';
import { SCAN_MODES, SCAN_WHEN_AWAY } from '../scanning/settings.ts';
import { ACTED } from './audit.ts';
import { ItemAddress } from './items.ts';
import { defineOperation } from './operation.ts';

const ItemKind = Type.Union(KINDS.map((kind) => Type.Literal(kind)));
const NullableInteger = Type.Union([Type.Integer(), Type.Null()]);

/** A rescan of all that is stored. */
export const ScanRun = Type.Object({
  runId: Type.Integer(),
  startedAt: Type.Integer(),
  startedBy: Type.Union([Type.Literal('operator'), Type.Literal('schedule')]),
  /** The scanner and its signatures, as it calls them. */
  scanner: Type.String(),
  /** Items that it has come to so far. */
  queued: Type.Integer(),
  scanned: Type.Integer(),
  /** How many of them had a finding that put them into quarantine. */
  found: Type.Integer(),
  /** `null`: it goes on. */
  finishedAt: NullableInteger,
});
export type ScanRun = Static<typeof ScanRun>;

/** The scanner, the blocklist of links, and the work that waits. */
export const ScanState = Type.Object({
  /** `none`: no scanner is configured. */
  scanner: Type.Union([Type.Literal('none'), Type.Literal('up'), Type.Literal('down')]),
  version: Type.Union([Type.String(), Type.Null()]),
  mode: Type.Union(SCAN_MODES.map((mode) => Type.Literal(mode))),
  whenAway: Type.Union(SCAN_WHEN_AWAY.map((what) => Type.Literal(what))),
  /** Items that wait for their first scan. */
  waiting: Type.Integer(),
  quarantined: Type.Integer(),
  /** `null`: links are not looked at. */
  links: Type.Union([
    Type.Object({
      hosts: Type.Integer(),
      badLines: Type.Integer(),
      problem: Type.Union([Type.String(), Type.Null()]),
    }),
    Type.Null(),
  ]),
  /** The newest first. */
  runs: Type.Array(ScanRun),
});
export type ScanState = Static<typeof ScanState>;

export const describeScans = defineOperation({
  subject: 'content.describe-scans',
  input: Type.Object({}),
  reply: ScanState,
  timeoutMs: 5_000,
  retry: true,
});

/** Whether the scanner answers, for probes. */
export const pingScanner = defineOperation({
  subject: 'content.ping-scanner',
  input: Type.Object({}),
  reply: Type.Object({
    scanner: Type.Union([Type.Literal('none'), Type.Literal('up'), Type.Literal('down')]),
  }),
  timeoutMs: 2_400,
  retry: false,
});

/** Starts a rescan; while one goes on, that is the answer. */
export const startRescan = defineOperation({
  subject: 'content.start-rescan',
  input: Type.Object(ACTED),
  reply: Type.Object({ run: ScanRun, started: Type.Boolean() }),
  timeoutMs: 6_000,
  retry: false,
  writes: true,
});

/** Releases what was found in an item: it is not found again in this content. */
export const releaseItem = defineOperation({
  subject: 'content.release-item',
  input: Type.Object({
    ...ItemAddress,
    /** The finding that the operator has seen (`Publication.findingId`). Gateways of earlier releases do not say it. */
    findingId: Type.Optional(Type.String()),
    clientIp: Type.String(),
    ...ACTED,
  }),
  reply: Type.Object({ kind: ItemKind, hidden: Type.Boolean(), quarantine: Type.Optional(QuarantineState) }),
  timeoutMs: 8_000,
  retry: false,
  writes: true,
});
