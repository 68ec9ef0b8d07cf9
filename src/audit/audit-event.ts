/** The audit event (kind Event of the audit API group), as log readers and webhooks get it. */
import type { JsonObject } from '../base/json.ts';
import { isObject } from '../base/json.ts';
import { shortText } from '../base/short-text.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { Status } from '../meta/status.ts';
import type { UserInfo } from '../meta/user.ts';
import type { AuditLevel, AuditLine, AuditStage } from './types.ts';

/** What is known of a request at a stage. */
export interface AuditEventInput {
  readonly level: AuditLevel;
  readonly stage: AuditStage;
  readonly auditId: string;
  readonly requestUri: string;
  readonly info: RequestInfo;
  /** undefined: no authenticator accepted the credentials. */
  readonly user: UserInfo | undefined;
  /** The user that `user` impersonated. */
  readonly impersonated: UserInfo | undefined;
  /** The verb of the constrained mode that allowed it; '' for none. */
  readonly impersonationConstraint: string;
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  readonly requestObject: JsonObject | readonly unknown[] | undefined;
  /** An object as JSON text of one line, as it was answered: large ones are not parsed again. */
  readonly responseObject: JsonObject | string | undefined;
  /** undefined: there is no answer yet. */
  readonly response:
    { readonly code: number; readonly status: Pick<Status, 'message'> | undefined } | undefined;
  /** Milliseconds since 1970, with decimals. */
  readonly receivedAt: number;
  readonly stageAt: number;
  readonly annotations: ReadonlyMap<string, string> | undefined;
}

export function auditLine(input: AuditEventInput, naming: NamingProfile): AuditLine {
  const { level, stage, info } = input;
  const withRequest = level === 'Request' || level === 'RequestResponse';
  const answer = level === 'RequestResponse' ? input.responseObject : undefined;
  const line = JSON.stringify({
    kind: 'Event',
    apiVersion: `audit.${naming.apiDomain}/v1`,
    level,
    auditID: input.auditId,
    stage,
    requestURI: input.requestUri,
    verb: info.verb,
    user: userOf(input.user),
    impersonatedUser: input.impersonated && userOf(input.impersonated),
    authenticationMetadata:
      input.impersonationConstraint === ''
        ? undefined
        : { impersonationConstraint: input.impersonationConstraint },
    sourceIPs: input.sourceIps,
    userAgent: input.userAgent === '' ? undefined : input.userAgent,
    objectRef: info.isResourceRequest ? objectRef(info, input.requestObject) : undefined,
    responseStatus: input.response && responseStatus(input.response),
    requestObject: withRequest ? input.requestObject : undefined,
    responseObject: typeof answer === 'string' ? undefined : answer,
    requestReceivedTimestamp: microTime(input.receivedAt),
    stageTimestamp: microTime(input.stageAt),
    annotations: input.annotations && Object.fromEntries(input.annotations),
  });
  return typeof answer === 'string' ? `${line.slice(0, -1)},"responseObject":${answer}}` : line;
}

function userOf(user: UserInfo | undefined): JsonObject {
  if (!user) return {};
  const { name, uid, groups, extra } = user;
  return {
    username: name,
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(Object.keys(extra).length > 0 && { extra: extra as Record<string, string[]> }),
  };
}

/** From the path, completed by what the body says of itself. */
function objectRef(
  info: RequestInfo,
  body: AuditEventInput['requestObject'],
): Record<string, string | undefined> {
  const metadata = isObject(body) && isObject(body['metadata']) ? body['metadata'] : {};
  const sent = (name: string): string | undefined => {
    const text = textOf(metadata[name]);
    return text && shortText(text);
  };
  const { resource, namespace, name, apiGroup, apiVersion, subresource } = info;
  return {
    resource,
    namespace: textOf(namespace) ?? sent('namespace'),
    name: textOf(name) ?? sent('name'),
    uid: sent('uid'),
    apiGroup: textOf(apiGroup),
    apiVersion,
    resourceVersion: sent('resourceVersion'),
    subresource: textOf(subresource),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** No details: they may be long. */
function responseStatus({ code, status }: NonNullable<AuditEventInput['response']>): object {
  const { status: outcome, message, reason } = (status ?? {}) as Partial<Status>;
  return { metadata: {}, status: outcome, message, reason, code };
}

function microTime(ms: number): string {
  const micros = Math.floor((ms % 1) * 1_000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}
