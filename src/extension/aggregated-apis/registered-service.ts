/** What an APIService registers: which server answers for a group version, and how it is ordered in discovery. */
import { createHash } from 'node:crypto';
import type {
  APIService as APIServiceFields,
  APIServiceCondition,
} from '../../api/apiregistration/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import { entryObject } from '../../registry/written-entry.ts';
import { memoized } from '../../registry/entry-memo.ts';
import type { Entry } from '../../storage/types.ts';

export type APIService = Stored<APIServiceFields>;

/** The Service in front of another server, and how its certificate is verified. */
export interface Backend {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** PEM; '' for the CAs of the host. */
  readonly ca: string;
  readonly skipsVerification: boolean;
}

export interface RegisteredService {
  /** `<version>.<group>`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** undefined if this service answers. */
  readonly backend: Backend | undefined;
  /** Its condition `Available` is true. */
  readonly isAvailable: boolean;
  /** Equal for the same object with the same wishes, whatever its status. */
  readonly wish: string;
}

export const availableType = 'Available';
const defaultPort = 443;

/** The object of an entry; parsed once per revision, immutable. */
export const apiServiceOf: (entry: Entry) => APIService = memoized(
  (entry) => entryObject(entry) as APIService,
);

/** What the object of an entry registers; made once per revision. */
export const registrationOf: (entry: Entry) => RegisteredService = memoized((entry) =>
  readService(apiServiceOf(entry)),
);

/** Name of the APIService of a group version. */
export function serviceName(group: string, version: string): string {
  return `${version}.${group}`;
}

export function availableCondition({ status }: APIService): APIServiceCondition | undefined {
  return status?.conditions?.find(({ type }) => type === availableType);
}

function readService(service: APIService): RegisteredService {
  const { spec = {}, metadata } = service;
  return {
    name: metadata.name ?? '',
    group: spec.group ?? '',
    version: spec.version ?? '',
    groupPriority: spec.groupPriorityMinimum ?? 0,
    versionPriority: spec.versionPriority ?? 0,
    backend: backendOf(service),
    isAvailable: availableCondition(service)?.status === 'True',
    wish: createHash('sha256')
      .update(JSON.stringify([metadata.uid, spec]))
      .digest('base64'),
  };
}

function backendOf({ spec }: APIService): Backend | undefined {
  if (spec?.service == null) return undefined;
  const { namespace = '', name = '', port = defaultPort } = spec.service;
  return {
    ...{ namespace, name, port },
    ca: Buffer.from(spec.caBundle ?? '', 'base64').toString('utf8'),
    skipsVerification: spec.insecureSkipTLSVerify === true,
  };
}
