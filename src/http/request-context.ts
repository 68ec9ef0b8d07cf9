/**
 * The context of a request in the filter chain: everything that filters determine and verbs need, in one fixed shape.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authorizer, AuthorizerDecision } from '../authz/types.ts';
import type { Arrivals } from '../base/arrivals.ts';
import type { Environment } from '../base/environment.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { Status } from '../meta/status.ts';
import { anonymousUser } from '../meta/user.ts';
import type { UserInfo } from '../meta/user.ts';
import type { AnnotationLevel, ServedResource } from '../registry/types.ts';
import type { BodyShare } from './body-share.ts';
import type { RequestAudit } from './request-audit.ts';
import { dropHead } from './drop-head.ts';
import { Query } from './query.ts';
import { nonResource } from './request-info-resolver.ts';
import { endBehindResponse } from './unread-body.ts';
import { upgradeOf, type TakenConnection, type UpgradeOffer } from './upgrade.ts';
import type { WireTypes } from './wire-types.ts';

/** RequestInfo before the path is parsed. */
const unread = nonResource('', '');

/** The abort reason of cancelled requests; shared, as creating one captures a stack trace. */
const over = new DOMException('the request is over', 'AbortError');

/** Maximum number and length of the warnings of one response. */
const maxWarnings = 64;

/** Maximum number of audit annotations of one request. */
const maxAnnotations = 256;

export interface AuditAnnotation {
  readonly value: string;
  /** Minimum audit level at which it is recorded; undefined for every level. */
  readonly level: AnnotationLevel | undefined;
}

/** State that all requests of a server share. */
export interface ServerPhase extends Environment {
  /** The server is draining: clients should reconnect to another replica. */
  isDraining: boolean;
  /** The `WWW-Authenticate` header of a 401. */
  readonly challenge: string;
  /** Large responses are compressed for clients that accept gzip (feature gate `APIResponseCompression`). */
  readonly compresses: boolean;
  /** Something beside the chain may read the head of a request at its end. */
  readonly keepsHeads: boolean;
  /** Types of Protobuf bodies and responses; absent if Protobuf is disabled. */
  readonly types?: WireTypes;
  /** Work on bodies, and on answers whose form has to be made, by user. */
  readonly turns: Arrivals;
  /** Authorizes permissions that are found to be required after the chain has authorized the request. */
  readonly authorizer: Authorizer;
}

export class RequestContext {
  readonly phase: ServerPhase;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Monotonic, in milliseconds on the clock of the server. */
  readonly startedAt: number;
  /** Path as sent, and query. */
  readonly rawPath: string;
  readonly query: Query;
  auditId = '';
  info: RequestInfo = unread;
  user: UserInfo = anonymousUser;
  /** The user that impersonates `user`; undefined without impersonation. */
  impersonator: UserInfo | undefined = undefined;
  /** The verb of the constrained mode that allowed it; '' for none. */
  impersonationConstraint = '';
  /** The decision of the authorizer and its reason. */
  authorization: AuthorizerDecision | undefined = undefined;
  /** Set once the path is known to name a resource that exists. */
  resource: ServedResource | undefined = undefined;
  /** What the path of a non-resource request begins with, once a route serves it: `/livez`; '' until then. */
  route = '';
  /** Watches and connections: no deadline, not counted as in flight. */
  longRunning = false;
  dryRun = false;
  /** How long it waited for a seat, in milliseconds. */
  waitedMs = 0;
  /** The deadline, on the scale of `startedAt`. */
  overdueAt = Infinity;
  /** The request may take its connection for another protocol; undefined if its connection stays with HTTP. */
  readonly upgrade: UpgradeOffer | undefined;
  /** Index among the running requests. */
  slot = -1;
  /** Response headers with the UIDs of flow schema and priority level, names and values alternating. */
  flowHeaders: readonly string[] | undefined = undefined;
  /** The connection is closed after this response. */
  closesConnection = false;
  /** The client waits for `100 Continue` before it sends the body. */
  expectsContinue = false;
  /** The share of the body budget that a large body holds. */
  bodyShare: BodyShare | undefined = undefined;
  /** Content type of the response, for its audit event. */
  answeredType = '';
  /** Bytes of the response's body so far, before compression. */
  answeredBytes = 0;
  /** The body is arriving. */
  isReadingBody = false;
  warnings: string[] | undefined = undefined;
  /** Annotations of the audit event. */
  annotations: Map<string, AuditAnnotation> | undefined = undefined;
  /** Set if the audit policy records the request. */
  audit: RequestAudit | undefined = undefined;
  /** Called once when a watch has its initial state, or waits for its client: the rest costs little. */
  onBegun: (() => void) | undefined = undefined;
  /** The Status of the response; undefined if it is an object. */
  outcome: Status | undefined = undefined;
  private abort: AbortController | undefined = undefined;
  private closed = false;
  private whenClosed: (() => void)[] = [];

  constructor(req: IncomingMessage, res: ServerResponse, phase: ServerPhase) {
    this.phase = phase;
    this.req = req;
    this.res = res;
    this.startedAt = phase.clock.monotonic();
    const url = req.url ?? '/';
    const mark = url.indexOf('?');
    this.rawPath = mark < 0 ? url : url.slice(0, mark);
    this.query = new Query(mark < 0 ? '' : url.slice(mark + 1));
    this.upgrade = upgradeOf(req);
    // Emitted once; `once` would cost two functions and a removal.
    res.on('close', () => {
      this.close();
    });
  }

  /**
   * Aborted when the client disconnects or the deadline passes. Created at first use, as many requests need none. Not
   * aborted after a complete response, when no work is left (aborting cost 7 % of a get).
   */
  get signal(): AbortSignal {
    this.abort ??= new AbortController();
    if (this.closed && !this.abort.signal.aborted) this.abort.abort(over);
    return this.abort.signal;
  }

  /** True once the response is complete or the client has disconnected. */
  isClosed(): boolean {
    return this.closed;
  }

  /** Cancels the work for this request; the caller responds. */
  cancel(): void {
    this.abort ??= new AbortController();
    this.abort.abort(over);
  }

  /** True if no result is needed any more: errors of the work are ignored. */
  isCancelled(): boolean {
    return this.closed || this.abort?.signal.aborted === true;
  }

  /** The state of `signal`, without creating it. */
  get aborted(): boolean {
    return this.isCancelled();
  }

  get reason(): unknown {
    return over;
  }

  /** A watch has its initial state, or waits for its client. */
  begun(): void {
    this.onBegun?.();
    this.onBegun = undefined;
  }

  /** After this response an HTTP/1.1 connection cannot go on; one of HTTP/2 loses no more than the stream. */
  closeConnection(): void {
    this.closesConnection = this.req.httpVersionMajor < 2;
  }

  /** As `closeConnection`, where the client may still send its body: it gets to read the response. */
  closeBehindBody(): void {
    this.closeConnection();
    endBehindResponse(this.req);
  }

  /**
   * The request lasts for minutes, and nothing asks for its head any more: lets go of what it takes in memory, more than the rest of an
   * open watch. Events of the audit log name parts of the head at the end; middleware of a program may, too.
   */
  forgetHead(): void {
    this.whenClosed = this.whenClosed.slice();
    this.query.forgetValues();
    this.info.selectors?.forgetRead();
    if (this.audit === undefined && !this.phase.keepsHeads) dropHead(this.req, this.res);
  }

  /** `action` runs once, when the response is complete or the connection is lost. */
  onClose(action: () => void): void {
    this.whenClosed.push(action);
  }

  /** Adds a warning for the client; duplicates are ignored. */
  warn(text: string): void {
    const warnings = (this.warnings ??= []);
    if (warnings.length < maxWarnings && !warnings.includes(text)) warnings.push(text);
  }

  /** Adds an annotation to the audit event; the first value of a key is kept. */
  annotate(key: string, value: string, level?: AnnotationLevel): void {
    const annotations = (this.annotations ??= new Map<string, AuditAnnotation>());
    if (annotations.size < maxAnnotations && !annotations.has(key)) annotations.set(key, { value, level });
  }

  /**
   * Takes the connection for the protocol that the client asked for.
   * @param code of the response that the caller writes
   * @throws Error if the client asked for none
   */
  takeConnection(code = 101): TakenConnection {
    if (!this.upgrade) throw new Error('the request does not ask for another protocol');
    const taken = this.upgrade.take(code);
    if (this.longRunning && code === 101) void this.audit?.record('ResponseStarted');
    return taken;
  }

  header(name: 'accept' | 'content-type' | 'user-agent' | 'accept-encoding'): string {
    return this.req.headers[name]?.toString() ?? '';
  }

  private close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const action of this.whenClosed) action();
    if (!this.res.writableFinished) this.abort?.abort(over);
  }
}
