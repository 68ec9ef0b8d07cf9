/** Flow control flags: in-flight limits, API Priority and Fairness, request timeouts. */
import type { Rate } from '../base/token-bucket.ts';
import type { InFlightLimits } from '../http/filters/in-flight.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const flowControlFlags = [
  {
    name: 'enable-priority-and-fairness',
    value: '',
    default: 'true',
    description:
      'If true, requests are queued and dispatched by flow schema and priority level (API Priority and Fairness). If false, only the in-flight limits apply.',
  },
  {
    name: 'failed-authentication-burst',
    value: 'NUMBER',
    default: '200',
    description:
      'The number of invalid tokens and passwords that a client address may send in a burst before its requests are rejected with 429.',
  },
  {
    name: 'failed-authentication-qps',
    value: 'NUMBER',
    default: '20',
    description:
      'The average number of invalid tokens and passwords that a client address may send per second. 0 means no limit.',
  },
  {
    name: 'max-mutating-requests-inflight',
    value: 'NUMBER',
    default: '200',
    description:
      'The maximum number of mutating requests in flight in each process. With API Priority and Fairness, added to --max-requests-inflight as the total concurrency limit. 0 means no limit.',
  },
  {
    name: 'max-request-bytes-inflight',
    value: 'BYTES',
    default: '67108864',
    description:
      'The maximum size in bytes of all request bodies over 64 KiB in flight in each process. Further requests wait, then are rejected with 429.',
  },
  {
    name: 'max-requests-inflight',
    value: 'NUMBER',
    default: '400',
    description:
      'The maximum number of non-mutating requests in flight in each process. With API Priority and Fairness, added to --max-mutating-requests-inflight as the total concurrency limit. 0 means no limit.',
  },
  {
    name: 'min-request-timeout',
    value: 'SECONDS',
    default: '300',
    description:
      'The minimum number of seconds that a watch without timeoutSeconds is kept open before it times out.',
  },
  {
    name: 'request-timeout',
    value: 'DURATION',
    default: '1m0s',
    description: 'The duration a request may take before it times out. Watches are exempt.',
  },
] as const satisfies readonly FlagDefinition[];

type FlowControlFlags = FlagReader<(typeof flowControlFlags)[number]['name']>;

export interface FlowControlConfig {
  readonly timeoutMs: number;
  /** 0 means no limit. With `isFair` their sum is the total concurrency limit of all priority levels. */
  readonly inFlight: InFlightLimits;
  /** API Priority and Fairness is enabled (`--enable-priority-and-fairness`). */
  readonly isFair: boolean;
  /** Bytes of large request bodies in flight (`--max-request-bytes-inflight`). */
  readonly maxBytesInFlight: number;
  /** Rate of failed authentications by address; no limit if `qps` is 0. */
  readonly failedAuthentications: Rate;
  /** Minimum timeout of a watch without `timeoutSeconds`. */
  readonly minWatchMs: number;
}

const highest = 1_000_000;

export function readFlowControl(texts: FlagValues, errors: FlagErrors): FlowControlConfig {
  const flags = new FlagReader(flowControlFlags, texts, errors);
  const config = {
    timeoutMs: flags.duration('request-timeout'),
    inFlight: {
      readOnly: flags.integer('max-requests-inflight', 0, highest),
      mutating: flags.integer('max-mutating-requests-inflight', 0, highest),
    },
    isFair: flags.boolean('enable-priority-and-fairness'),
    failedAuthentications: {
      qps: flags.integer('failed-authentication-qps', 0, highest),
      burst: flags.integer('failed-authentication-burst', 1, highest),
    },
    maxBytesInFlight: flags.integer('max-request-bytes-inflight', 4 * 1024 * 1024, 2 ** 36),
    minWatchMs: flags.integer('min-request-timeout', 1, highest) * 1000,
  };
  checkSeats(flags, config);
  return config;
}

/** Priority levels share the total concurrency limit, which must not be 0. */
function checkSeats(flags: FlowControlFlags, { isFair, inFlight }: FlowControlConfig): void {
  if (!isFair || inFlight.readOnly + inFlight.mutating > 0) return;
  flags.conflict(
    '--max-requests-inflight and --max-mutating-requests-inflight are both 0, but API Priority and Fairness needs a total concurrency limit',
    'set one of them, or use --enable-priority-and-fairness=false',
  );
}
