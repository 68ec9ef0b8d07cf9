/**
 * Standard output or standard error. Who reads it may go, and a disk may be full: what is printed then is lost, and
 * nothing else. A service goes on, and so does the work of a command.
 */
export class Output {
  readonly #stream: NodeJS.WriteStream;
  #loss: Error | undefined;

  /** From now on, no write error of the stream ends the process; worker threads write through their parent, too. */
  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.on('error', (error) => {
      this.#loss ??= error;
    });
  }

  print(line: string): void {
    if (this.#loss === undefined) this.#stream.write(`${line}\n`);
  }

  /** Why something of what was printed so far is lost; undefined if all of it is written. */
  loss(): Promise<Error | undefined> {
    if (this.#loss !== undefined) return Promise.resolve(this.#loss);
    return new Promise((resolve) => {
      this.#stream.write('', (error) => {
        resolve(this.#loss ?? error ?? undefined);
      });
    });
  }
}
