/** Opens a watch stream of etcd: whole revisions, each answer checked. */
import type { EtcdLine } from './etcd-line.ts';
import { EtcdError, toEtcdError } from './etcd-error.ts';
import { watchMethod } from './etcd-messages.ts';
import { FragmentJoiner } from './fragments.ts';
import type { WatchRequest, WatchResponse } from './message-types.ts';

export interface WatchListener {
  /** Receives events of complete revisions, by fragment. */
  onResponse(response: WatchResponse): void;
  /** Called once when the stream ends without being cancelled. */
  onEnd(etcdError: EtcdError): void;
}

export interface WatchStream {
  /** Stops the stream and prefers another member; drops the connection if it is considered dead. */
  distrust(isDead: boolean): void;
  cancel(): void;
  /** Applies backpressure to etcd. */
  pause(): void;
  resume(): void;
}

export interface StreamParts {
  readonly distrust: (isDead: boolean) => void;
  readonly line: EtcdLine;
  readonly request: WatchRequest;
  readonly listener: WatchListener;
  readonly check: (response: WatchResponse) => EtcdError | undefined;
}

/** The listener gets answers until `check` gives an error, which ends the stream. */
export function openStream({ line, request, listener, distrust, check }: StreamParts): WatchStream {
  const joiner = new FragmentJoiner();
  const fragmented = { create_request: { ...request.create_request, fragment: true } };
  const stream = line.stream(watchMethod, fragmented, {
    onAnswer: (response) => {
      const isOther = check(response);
      if (isOther !== undefined) {
        stream.cancel();
        listener.onEnd(isOther);
        return;
      }
      const whole = joiner.join(response);
      if (whole !== undefined) listener.onResponse(whole);
    },
    onEnd: (error) => {
      const etcdError = toEtcdError(error ?? new EtcdError('unknown', 'etcd ended the stream'), 'watch');
      distrust(etcdError.kind === 'badToken');
      listener.onEnd(etcdError);
    },
  });
  return {
    ...stream,
    distrust: (isDead) => {
      stream.cancel();
      distrust(isDead);
    },
  };
}
