/** Counts and times authentication by its result; users by the few names that are no secret and have a bound. */
import { isPromise } from 'node:util/types';
import { StatusError } from '../../meta/status.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { RequestContext } from '../request-context.ts';
import type { Step } from './step.ts';

type Metrics = Pick<
  ServerMetrics,
  'authenticatedUsers' | 'authenticationAttempts' | 'authenticationDuration'
>;

/** Wraps the authentication: its outcome is what the step does. */
export function withAuthenticationMetrics(authentication: Step, metrics: Metrics): Step {
  const note = (context: RequestContext, result: string, since: number): void => {
    const seconds = (context.phase.clock.monotonic() - since) / 1_000;
    metrics.authenticationAttempts.series({ result }).add();
    metrics.authenticationDuration.series({ result }).observe(seconds);
  };
  const succeeded = (context: RequestContext, since: number): void => {
    note(context, 'success', since);
    metrics.authenticatedUsers.series({ username: shownName(context.user.name) }).add();
  };
  const failed = (context: RequestContext, error: unknown, since: number): never => {
    note(context, error instanceof StatusError && error.code === 401 ? 'failure' : 'error', since);
    throw error;
  };
  return function measuredAuthentication(context: RequestContext): void | Promise<void> {
    const since = context.phase.clock.monotonic();
    let pending: void | Promise<void>;
    try {
      pending = authentication(context);
    } catch (error) {
      return failed(context, error, since);
    }
    if (!isPromise(pending)) {
      succeeded(context, since);
      return undefined;
    }
    return pending.then(
      () => {
        succeeded(context, since);
      },
      (error: unknown) => failed(context, error, since),
    );
  };
}

const knownNames: ReadonlySet<string> = new Set(['admin', 'client', 'kubelet', 'system:anonymous']);

/** Names of users are unbounded, so most are counted together. */
function shownName(name: string): string {
  if (knownNames.has(name)) return name;
  return name.includes('@') ? 'email_id' : 'other';
}
