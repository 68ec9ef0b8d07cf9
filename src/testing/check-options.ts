/** Whether options of a start are what they may be; flags are checked by the service. */
import {
  anything,
  isObject,
  isPort,
  isText,
  judgeOptions,
  listOf,
  oneOf,
  that,
  type Checks,
} from './judge.ts';
import type { ControlPlaneOptions } from './options.ts';
import { isListOfNames } from './users.ts';

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
const isUser = (value: unknown): boolean => {
  if (!isObject(value)) return false;
  const { name, groups = [] } = value as { name?: unknown; groups?: unknown };
  return isText(name) && isListOfNames(groups);
};
const hasOnly = (value: unknown, isGood: (member: unknown) => boolean): boolean =>
  isObject(value) && Object.values(value).every(isGood);

const checks: Checks<ControlPlaneOptions> = {
  engine: oneOf('memory', 'etcd'),
  etcdServers: listOf('URLs', isText),
  naming: that('a text', isText),
  release: that("a text such as '1.30'", isText),
  admission: that('an object with `enable` or `disable`, lists of names', (value) =>
    hasOnly(value, Array.isArray),
  ),
  controllers: listOf('names', isText),
  featureGates: that('an object of booleans', (value) => hasOnly(value, (on) => typeof on === 'boolean')),
  users: listOf("users such as { name: 'jane' }", isUser),
  state: that('the path of a file', isText),
  crds: listOf('files and folders of definitions; definitions as objects go into `objects`', isText),
  objects: listOf('objects, or files and folders of manifests', (each) => isText(each) || isObject(each)),
  clock: oneOf('system', 'virtual'),
  logs: oneOf('attached', 'printed', 'quiet'),
  seed: that('a whole number', Number.isInteger),
  advertiseAddress: that('a name or an address', isText),
  advertisePort: that('a port', isPort),
  flags: that('an object of texts, numbers and booleans', (value) => hasOnly(value, isScalar)),
  // The service looks at it with its flag.
  port: anything,
};

/**
 * Checks what can be seen without a server.
 * @throws TypeError with all faults at once
 */
export function checkOptions(options: ControlPlaneOptions): void {
  judgeOptions('startControlPlane', options, checks);
}
