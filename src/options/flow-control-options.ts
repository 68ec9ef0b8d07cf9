/** How many requests at once and for how long: in-flight limits, API Priority and Fairness, deadlines. */
import type { Rate } from '../base/token-bucket.ts';
import type { InFlightLimits } from '../http/filters/in-flight.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const flowControlFlags = [
  {
    name: 'enable-priority-and-fairness',
    value: '',
    default: 'true',
    description: 'flow schemas and priority levels say who is served when there is too much to do',
  },
  {
    name: 'failed-authentication-burst',
    value: 'NUMBER',
    default: '200',
    description: 'bad tokens and passwords that a client address may send at once before they are 429',
  },
  {
    name: 'failed-authentication-qps',
    value: 'NUMBER',
    default: '20',
    description:
      'bad tokens and passwords that a client address may go on to send each second; 0: as many as come',
  },
  {
    name: 'max-mutating-requests-inflight',
    value: 'NUMBER',
    default: '200',
    description: 'requests that write served at once, by each process; 0: as many as come',
  },
  {
    name: 'max-request-bytes-inflight',
    value: 'BYTES',
    default: '67108864',
    description:
      'bytes of request bodies over 64 KiB in work at once, by each process; more wait, then get 429',
  },
  {
    name: 'max-requests-inflight',
    value: 'NUMBER',
    default: '400',
    description: 'requests that read served at once, by each process; 0: as many as come',
  },
  {
    name: 'min-request-timeout',
    value: 'SECONDS',
    default: '300',
    description: 'shortest life of a watch that names no timeoutSeconds',
  },
  {
    name: 'request-timeout',
    value: 'DURATION',
    default: '1m0s',
    description: 'longest time for a request that is not a watch',
  },
] as const satisfies readonly FlagDefinition[];

type FlowControlFlags = FlagReader<(typeof flowControlFlags)[number]['name']>;

export interface FlowControlConfig {
  readonly timeoutMs: number;
  /** Served at once; 0: as many as come. With `isFair` their sum is shared by priority levels. */
  readonly inFlight: InFlightLimits;
  /** Priority levels bound requests (`--enable-priority-and-fairness`). */
  readonly isFair: boolean;
  /** Bytes of large request bodies in work at once (`--max-request-bytes-inflight`). */
  readonly maxBytesInFlight: number;
  /** Credentials of one address that nobody accepts; `qps` 0: as many as come. */
  readonly failedAuthentications: Rate;
  /** Shortest time after which a watch without `timeoutSeconds` is ended. */
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

/** Priority levels share seats, of which there must be some. */
function checkSeats(flags: FlowControlFlags, { isFair, inFlight }: FlowControlConfig): void {
  if (!isFair || inFlight.readOnly + inFlight.mutating > 0) return;
  flags.conflict(
    '--max-requests-inflight and --max-mutating-requests-inflight are both 0, and priority levels share their sum',
    'give one of them a number, or --enable-priority-and-fairness=false',
  );
}
