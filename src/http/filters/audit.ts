/**
 * Audits requests at the stages RequestReceived, ResponseStarted (watches) and ResponseComplete. The audit policy
 * decides the level once, for the authenticated user. Events of responses are created when the response is complete.
 */
import type { Auditor } from '../../audit/auditor.ts';
import { auditLine, type AuditEventInput } from '../../audit/audit-event.ts';
import type { AuditDecision, AuditStage } from '../../audit/types.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { whenReady } from '../../base/maybe-promise.ts';
import { decodeBody } from '../../codec/decode-body.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import { StatusError } from '../../meta/status.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { RequestContext } from '../request-context.ts';
import type { RequestAudit } from '../request-audit.ts';
import { sourceIps } from '../source-ips.ts';
import { isJson, isSoonDecoded } from './soon-decoded.ts';
import type { Step } from './step.ts';

/** Larger bodies are omitted from events. */
const maxObjectBytes = 1024 * 1024;

/** The audit trail of one request; in its context if the policy records the request. */
export class AuditTrail implements RequestAudit {
  /** The whole body of the request, as sent. */
  private sent: Buffer | undefined = undefined;
  /** The parts of the response body; undefined if it is not recorded. */
  private answered: Buffer[] | undefined;
  private answeredBytes = 0;
  private isCut = false;
  private readonly context: RequestContext;
  private readonly decision: AuditDecision;
  private readonly parts: { readonly auditor: Auditor; readonly naming: NamingProfile };
  private readonly user: UserInfo | undefined;
  private readonly hidesBodies: boolean;
  /** Wall-clock time in milliseconds. */
  private readonly receivedAt: number;

  constructor(
    context: RequestContext,
    decision: AuditDecision,
    parts: { readonly auditor: Auditor; readonly naming: NamingProfile; readonly user: UserInfo | undefined },
  ) {
    this.context = context;
    this.decision = decision;
    this.parts = parts;
    this.user = parts.user;
    this.hidesBodies = holdsTokens(context.info);
    // Not by the clock's state at the start of the process, which may have been set right since then.
    const { clock } = context.phase;
    this.receivedAt = clock.now() - (clock.monotonic() - context.startedAt);
    const wantsAnswer = decision.level === 'RequestResponse' && !this.hidesBodies && !context.longRunning;
    this.answered = wantsAnswer ? [] : undefined;
  }

  /** The body of the request. */
  noteSent(bytes: Buffer): void {
    if (this.hidesBodies || bytes.length === 0) return;
    if (bytes.length <= maxObjectBytes && isSoonDecoded(bytes, this.context.header('content-type')))
      this.sent = bytes;
    else this.isCut ||= this.decision.level !== 'Metadata';
  }

  /** A part of the response body. */
  noteAnswered(part: Buffer): void {
    if (!this.answered) return;
    this.answeredBytes += part.length;
    if (this.answeredBytes > maxObjectBytes) {
      this.answered = undefined;
      this.isCut = true;
    }
    // Buffers of lists go back to a pool once they are sent.
    else this.answered.push(Buffer.from(part));
  }

  /** Records the event of a stage, unless the policy omits it. */
  record(stage: AuditStage): true | Promise<boolean> {
    if (this.decision.omitStages.has(stage)) return true;
    return this.parts.auditor.record(auditLine(this.facts(stage), this.parts.naming));
  }

  private facts(stage: AuditStage): AuditEventInput {
    const { context, decision } = this;
    const { req, res, info, impersonator, impersonationConstraint } = context;
    const isAnswered = stage !== 'RequestReceived';
    const isOver = stage === 'ResponseComplete';
    return {
      ...{ level: decision.level, stage, info },
      auditId: context.auditId,
      requestUri: req.url ?? '',
      user: this.user,
      impersonated: impersonator && context.user,
      impersonationConstraint,
      sourceIps: sourceIps(req),
      userAgent: context.header('user-agent'),
      requestObject: isAnswered ? this.requestObject() : undefined,
      responseObject: isOver ? this.responseObject() : undefined,
      response: isAnswered ? { code: res.statusCode, status: context.outcome } : undefined,
      receivedAt: this.receivedAt,
      stageAt: context.phase.clock.now(),
      annotations: isAnswered ? this.annotations() : undefined,
    };
  }

  private requestObject(): AuditEventInput['requestObject'] {
    const { sent, context } = this;
    if (!sent || (this.decision.level === 'Metadata' && context.info.name !== '')) return undefined;
    const type = context.header('content-type');
    // Patches are JSON; applied configurations are YAML, which includes JSON, or CBOR.
    const [, patch] = /^application\/[\w-]+-patch\+(\w+)/i.exec(type) ?? [];
    if (patch?.toLowerCase() === 'json') return listOrObject(sent);
    return this.decoded(sent, patch === undefined ? type : `application/${patch}`);
  }

  private responseObject(): JsonObject | string | undefined {
    if (!this.answered || this.answered.length === 0) return undefined;
    const { answeredType, res } = this.context;
    const bytes = Buffer.concat(this.answered);
    if (isSoonDecoded(bytes, answeredType)) return this.decoded(bytes, answeredType);
    // What this server wrote to its end is well-formed.
    if (isJson(answeredType) && res.writableEnded && bytes[0] === openingBrace) return inOneLine(bytes);
    this.isCut = true;
    return undefined;
  }

  /** undefined if the body is not an object, such as pod logs or rejected bodies. */
  private decoded(bytes: Buffer, contentType: string): JsonObject | undefined {
    const { types } = this.context.phase;
    const find = types && { schemaOf: (version: string, kind: string) => types.find(version, kind) };
    try {
      const acceptsCbor = types?.speaksCbor;
      return decodeBody({ contentType, bytes, naming: this.parts.naming, acceptsCbor, ...find });
    } catch (error) {
      if (error instanceof StatusError) return undefined;
      throw error;
    }
  }

  private annotations(): ReadonlyMap<string, string> {
    const { authorization, annotations } = this.context;
    const { apiDomain } = this.parts.naming;
    const all = new Map<string, string>();
    for (const [key, { value, level }] of annotations ?? [])
      if (level === undefined || this.decision.level !== 'Metadata') all.set(key, value);
    if (authorization?.error !== undefined && authorization.decision === 'noOpinion')
      all.set(`authorization.${apiDomain}/reason`, 'internal error');
    else if (authorization) {
      const decision = authorization.decision === 'allow' ? 'allow' : 'forbid';
      all.set(`authorization.${apiDomain}/decision`, decision);
      all.set(`authorization.${apiDomain}/reason`, authorization.reason);
    }
    if (this.isCut) all.set(`audit.${apiDomain}/truncated`, 'true');
    return all;
  }
}

export interface AuditParts {
  readonly auditor: Auditor;
  readonly naming: NamingProfile;
}

/**
 * Runs after authentication.
 * @throws Error (500) if a blocking-strict backend could not write the event
 */
export function withAudit(parts: AuditParts): Step {
  return function audit(context: RequestContext): void | Promise<void> {
    const trail = begin(context, parts, context.user);
    if (!trail) return;
    context.onClose(() => {
      void trail.record('ResponseComplete');
    });
    return whenReady(trail.record('RequestReceived'), (isKept) => {
      if (isKept) return;
      parts.auditor.noteRejection();
      throw new Error('the audit event of the request could not be written');
    });
  };
}

/** Audits requests whose authentication fails, which end the chain. */
export function withFailedAuthenticationAudit(authentication: Step, parts: AuditParts): Step {
  const failed = (context: RequestContext, error: unknown): never => {
    const trail = begin(context, parts, undefined);
    if (trail)
      context.onClose(() => {
        void trail.record('ResponseStarted');
      });
    throw error;
  };
  return async function auditedAuthentication(context: RequestContext): Promise<void> {
    try {
      await authentication(context);
    } catch (error) {
      failed(context, error);
    }
  };
}

function begin(
  context: RequestContext,
  { auditor, naming }: AuditParts,
  user: UserInfo | undefined,
): AuditTrail | undefined {
  const decision = auditor.decide({ user, info: context.info });
  if (decision.level === 'None') return undefined;
  const trail = new AuditTrail(context, decision, { auditor, naming, user });
  context.audit = trail;
  return trail;
}

const openingBrace = 0x7b;

/** Line ends stand between the members of pretty JSON, and never in its texts. */
function inOneLine(json: Buffer): string {
  return json.toString('utf8').replace(/[\r\n]+/g, ' ');
}

/** The bodies of these resources are credentials, so they are never recorded. */
function holdsTokens({ apiGroup, resource, subresource }: RequestInfo): boolean {
  if (resource === 'tokenreviews' && apiGroup.startsWith('authentication.')) return true;
  return apiGroup === '' && resource === 'serviceaccounts' && subresource === 'token';
}

function listOrObject(bytes: Buffer): JsonObject | readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(value) || Array.isArray(value) ? (value as JsonObject | unknown[]) : undefined;
  } catch {
    return undefined;
  }
}
