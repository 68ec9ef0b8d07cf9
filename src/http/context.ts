/** One request on its way through the chain: everything that filters learn and verbs need, in one fixed shape. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authorizer, AuthorizerDecision } from '../authz/types.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { Status } from '../meta/status.ts';
import { anonymousUser } from '../meta/user.ts';
import type { UserInfo } from '../meta/user.ts';
import type { AnnotationLevel, ServedResource } from '../registry/types.ts';
import type { BodyShare } from './body-share.ts';
import type { RequestAudit } from './request-audit.ts';
import { Query } from './query.ts';
import { nonResource } from './request-info-resolver.ts';
import type { WireTypes } from './wire-types.ts';

/** The info of a request whose path was not read yet. */
const unread = nonResource('', '');

/** Why work for a request is given up; one for all, for it costs a stack trace to make. */
const over = new DOMException('the request is over', 'AbortError');

/** Most distinct warnings that one answer carries, and the longest of them. */
const maxWarnings = 64;

/** Most annotations that the record of one request carries. */
const maxAnnotations = 256;

export interface AuditAnnotation {
  readonly value: string;
  /** Told from this level on; undefined: wherever the request is. */
  readonly level: AnnotationLevel | undefined;
}

/** What all requests of a server share. */
export interface ServerPhase {
  /** The server stops: clients had better come back to another one. */
  isDraining: boolean;
  /** What a 401 asks for (`WWW-Authenticate`). */
  readonly challenge: string;
  /** Large answers are compressed for those who ask (gate `APIResponseCompression`). */
  readonly compresses: boolean;
  /** Types that Protobuf bodies and answers may be of; absent: no Protobuf is spoken. */
  readonly types?: WireTypes;
  /** Decides about what turns out to be asked for behind what the chain allowed. */
  readonly authorizer: Authorizer;
}

export class RequestContext {
  readonly phase: ServerPhase;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Monotonic, milliseconds. */
  readonly startedAt: number;
  /** Path as sent, and query. */
  readonly rawPath: string;
  readonly query: Query;
  auditId = '';
  info: RequestInfo = unread;
  user: UserInfo = anonymousUser;
  /** Who asked to be taken for `user`; undefined: nobody. */
  impersonator: UserInfo | undefined = undefined;
  /** What was decided about it, and why. */
  authorization: AuthorizerDecision | undefined = undefined;
  /** Set once the path is known to name a resource that exists. */
  resource: ServedResource | undefined = undefined;
  /** Watches: no deadline, not counted as in flight. */
  longRunning = false;
  dryRun = false;
  /** When its time is over, on the clock of `startedAt`. */
  overdueAt = Infinity;
  /** Its place among the running requests. */
  slot = -1;
  /** Names and values in turn that tell which flow schema and priority level it belongs to. */
  flowHeaders: readonly string[] | undefined = undefined;
  /** This answer is the last one of its connection. */
  closesConnection = false;
  /** The client waits for `100 Continue` before it sends the body. */
  expectsContinue = false;
  /** Of a large body: what it has in use of the budget. */
  bodyShare: BodyShare | undefined = undefined;
  /** Content type of the answer, for metrics. */
  answeredType = '';
  warnings: string[] | undefined = undefined;
  /** What the audit log adds to its record of this request. */
  annotations: Map<string, AuditAnnotation> | undefined = undefined;
  /** Where the audit policy wants to know of the request. */
  audit: RequestAudit | undefined = undefined;
  /** The Status that it was answered with; undefined: an object. */
  outcome: Status | undefined = undefined;
  private abort: AbortController | undefined = undefined;
  private closed = false;
  private readonly whenClosed: (() => void)[] = [];

  constructor(req: IncomingMessage, res: ServerResponse, phase: ServerPhase) {
    this.phase = phase;
    this.req = req;
    this.res = res;
    this.startedAt = performance.now();
    const url = req.url ?? '/';
    const mark = url.indexOf('?');
    this.rawPath = mark < 0 ? url : url.slice(0, mark);
    this.query = new Query(mark < 0 ? '' : url.slice(mark + 1));
    // Comes once; `once` would cost two functions and a removal.
    res.on('close', () => {
      this.close();
    });
  }

  /**
   * Aborted when the client goes away or the deadline passes. Made at first use: many requests never ask. Not aborted
   * when the answer has left as a whole: then nothing works for it any more (aborting cost 7 % of a get).
   */
  get signal(): AbortSignal {
    this.abort ??= new AbortController();
    if (this.closed && !this.abort.signal.aborted) this.abort.abort(over);
    return this.abort.signal;
  }

  /** True once the answer is over or the client is gone. */
  isClosed(): boolean {
    return this.closed;
  }

  /** Stops what works for this request; the answer is up to the caller. */
  cancel(): void {
    this.abort ??= new AbortController();
    this.abort.abort(over);
  }

  /** True when nobody waits for the work any more: faults of it are no news. */
  isCancelled(): boolean {
    return this.closed || this.abort?.signal.aborted === true;
  }

  /** With `reason` what `signal` would tell, without making one. */
  get aborted(): boolean {
    return this.isCancelled();
  }

  get reason(): unknown {
    return over;
  }

  /** `action` runs once when the answer is over or the connection is lost. */
  onClose(action: () => void): void {
    this.whenClosed.push(action);
  }

  /** Adds a warning for the client; one that is there already is not repeated. */
  warn(text: string): void {
    const warnings = (this.warnings ??= []);
    if (warnings.length < maxWarnings && !warnings.includes(text)) warnings.push(text);
  }

  /** Adds to the record of the audit log; what is said of a key first stays. */
  annotate(key: string, value: string, level?: AnnotationLevel): void {
    const annotations = (this.annotations ??= new Map<string, AuditAnnotation>());
    if (annotations.size < maxAnnotations && !annotations.has(key)) annotations.set(key, { value, level });
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
