/** What leaves on a connection. All that is said in one turn of the loop leaves in one piece, unless somebody is in a hurry. */
export class Outbox {
  readonly #write: (bytes: Buffer) => void;
  #waiting: Buffer[] = [];
  #isFlushComing = false;

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
  }

  /** `isUrgent`: at once, with what waits; else at the end of this turn of the loop. */
  send(bytes: Buffer, isUrgent: boolean): void {
    this.#waiting.push(bytes);
    if (isUrgent) {
      this.flush();
    } else if (!this.#isFlushComing) {
      this.#isFlushComing = true;
      setImmediate(() => {
        this.#isFlushComing = false;
        this.flush();
      });
    }
  }

  flush(): void {
    const [first, second] = this.#waiting;
    if (first === undefined) return;
    const bytes = second === undefined ? first : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#write(bytes);
  }
}
