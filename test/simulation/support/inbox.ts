/** What a client of a stream has not taken yet. */
import type { AnswerListener } from '../../../src/storage/etcd/etcd-line.ts';

/** Answers of a stream that its client has not taken yet, because it has paused. */
export class Inbox<Response> {
  readonly #listener: AnswerListener<Response>;
  #waiting: (() => void)[] = [];
  #isPaused = false;
  #isOver = false;

  constructor(listener: AnswerListener<Response>) {
    this.#listener = listener;
  }

  add(answer: Response): void {
    this.#run(() => this.#listener.onAnswer(answer));
  }

  end(error: Error | undefined): void {
    this.#run(() => {
      this.#isOver = true;
      this.#listener.onEnd(error);
    });
  }

  close(): void {
    this.#isOver = true;
    this.#waiting = [];
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const run of waiting) this.#run(run);
  }

  #run(run: () => void): void {
    if (this.#isOver) return;
    if (this.#isPaused) this.#waiting.push(run);
    else run();
  }
}
