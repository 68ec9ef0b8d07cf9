/** A connection to etcd by which watches come late; calls are answered at once, as by a member that leads. */
import type { Clock, Timer } from '../../../base/clock.ts';
import type { AnswerListener, AnswerStream, ConnectLine, EtcdLine } from '../../../storage/etcd/etcd-line.ts';
import type { Lags } from './lags.ts';

/** Answers that are held back; more stay with etcd. */
const mostHeld = 1_024;

/** Makes every watch of these connections late. */
export function laggedLines(connect: ConnectLine, clock: Clock, lags: Lags): ConnectLine {
  return async (url, timeoutMs) => lagged(await connect(url, timeoutMs), clock, lags);
}

function lagged(line: EtcdLine, clock: Clock, lags: Lags): EtcdLine {
  return {
    get isUp() {
      return line.isUp;
    },
    useToken: (token) => {
      line.useToken(token);
    },
    call: (method, request, timeoutMs, maxBytes) => line.call(method, request, timeoutMs, maxBytes),
    stream: (method, request, listener) =>
      new LaggedStream(clock, lags).open(listener, (held) => line.stream(method, request, held)),
    close: (graceMs) => {
      line.close(graceMs);
    },
  };
}

interface Held {
  readonly heldAt: number;
  readonly deliver: () => void;
}

/** Holds answers back, in their order. */
class LaggedStream<Answer> {
  readonly #clock: Clock;
  readonly #lags: Lags;
  #held: Held[] = [];
  #timer: Timer | undefined;
  #stream: AnswerStream | undefined;
  #isPausedByClient = false;
  #forget: () => void = () => undefined;

  constructor(clock: Clock, lags: Lags) {
    this.#clock = clock;
    this.#lags = lags;
  }

  open(listener: AnswerListener<Answer>, open: (held: AnswerListener<Answer>) => AnswerStream): AnswerStream {
    this.#forget = this.#lags.onChange(() => {
      this.#deliverDue();
    });
    this.#stream = open({
      onAnswer: (answer) => {
        this.#hold(() => {
          listener.onAnswer(answer);
        });
      },
      onEnd: (error) => {
        this.#hold(() => {
          this.#forget();
          listener.onEnd(error);
        });
      },
    });
    return {
      cancel: () => {
        this.#cancel();
      },
      pause: () => {
        this.#isPausedByClient = true;
        this.#stream?.pause();
      },
      resume: () => {
        this.#isPausedByClient = false;
        if (this.#held.length < mostHeld) this.#stream?.resume();
      },
    };
  }

  #cancel(): void {
    this.#forget();
    this.#clock.clear(this.#timer);
    this.#held = [];
    this.#stream?.cancel();
  }

  #hold(deliver: () => void): void {
    this.#held.push({ heldAt: this.#clock.monotonic(), deliver });
    if (this.#held.length >= mostHeld) this.#stream?.pause();
    if (this.#held.length === 1) this.#deliverDue();
  }

  #deliverDue(): void {
    this.#clock.clear(this.#timer);
    for (let [next] = this.#held; next !== undefined; [next] = this.#held) {
      const waitMs = next.heldAt + this.#lags.ms - this.#clock.monotonic();
      if (waitMs > 0) {
        this.#wait(waitMs);
        return;
      }
      this.#held.shift();
      if (this.#held.length === mostHeld - 1 && !this.#isPausedByClient) this.#stream?.resume();
      next.deliver();
    }
  }

  #wait(ms: number): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#deliverDue();
    }, ms);
    this.#timer.unref();
  }
}
