/** The bench's flags. */
import { parseArgs } from 'node:util';

export interface BenchOptions {
  /** Pods of 5 KB that are stored before anything is timed. */
  readonly pods: number;
  /** For each side of each case; in a store of some size for renewals of leases, and half of it for GETs. */
  readonly seconds: number;
  /** How often the sides take turns; `seconds` are shared out. */
  readonly rounds: number;
  /** Names of cases; empty for all. */
  readonly only: readonly string[];
  readonly watchers: number;
  readonly writes: number;
  /** Numbers of objects of which a store each is measured instead of the cases; empty: the cases. */
  readonly scale: readonly number[];
  /** Numbers of definitions of custom resources, each of which is measured instead of the cases; empty: the cases. */
  readonly definitions: readonly number[];
  /** Numbers of watches, each of which is measured instead of the cases; empty: the cases. */
  readonly watches: readonly number[];
  /** Clients with 18 watches each that come back to a replica, instead of the cases; 0: the cases. */
  readonly herd: number;
  /** The clients come through a balancer, and that is started again instead of the replica. */
  readonly balancer: boolean;
  /** Namespaces of `pods` objects each that are deleted at once, instead of the cases; 0: the cases. */
  readonly namespaces: number;
  /** Folder for the curves over those numbers; empty: none are written. */
  readonly curves: string;
  readonly help: boolean;
}

export const usage = `bench [--pods=10000] [--seconds=9] [--rounds=3] [--only=case,…] [--watchers=500] [--writes=500]
bench --scale=N[,N…] [--seconds=9] [--curves=FOLDER]
bench --definitions=N[,N…] [--curves=FOLDER]
bench --watches=N[,N…] [--curves=FOLDER]
bench --herd=N [--balancer]
bench --namespaces=N [--pods=10000]
Stores pods of about 5 KB, then times each case against its bare figure, in turns. With --scale: measures a store of N objects instead,
and writes curves over several N into FOLDER. With --definitions: the same for N definitions of custom resources; with --watches: for N watches. With --herd: N clients with 18 watches
each come back to a replica, or a balancer, that is started again. With --namespaces: N namespaces with 10,000 config maps each (or --pods) are deleted at once.
Cases: `;

/** @throws Error that names a flag that is unknown or not a number */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      pods: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '9' },
      rounds: { type: 'string', default: '3' },
      only: { type: 'string', default: '' },
      watchers: { type: 'string', default: '500' },
      writes: { type: 'string', default: '500' },
      scale: { type: 'string', default: '' },
      definitions: { type: 'string', default: '' },
      watches: { type: 'string', default: '' },
      herd: { type: 'string', default: '' },
      balancer: { type: 'boolean', default: false },
      namespaces: { type: 'string', default: '' },
      curves: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    pods: positive('pods', values.pods),
    seconds: positive('seconds', values.seconds),
    rounds: positive('rounds', values.rounds),
    only: values.only.split(',').filter(Boolean),
    watchers: positive('watchers', values.watchers),
    writes: positive('writes', values.writes),
    scale: numbers('scale', values.scale),
    definitions: numbers('definitions', values.definitions),
    watches: numbers('watches', values.watches),
    herd: values.herd === '' ? 0 : positive('herd', values.herd),
    balancer: values.balancer,
    namespaces: values.namespaces === '' ? 0 : positive('namespaces', values.namespaces),
    curves: values.curves,
    help: values.help,
  };
}

function numbers(name: string, text: string): number[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((one) => positive(name, one));
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} has the value ${text}: give a number above 0`);
  return value;
}
