/** A kubeconfig as a file, for programs that want one. */
import { join } from 'node:path';
import { later } from './later.ts';

/** Files in a folder of their own, which goes with `remove`, at the latest with the process. */
export class KubeconfigFiles {
  #folder: string | undefined;
  #isOver = false;
  readonly #onExit = (): void => {
    this.remove();
  };

  /** Writes a file that only its owner reads. @returns its path @throws Error after `remove` */
  async write(name: string, text: string): Promise<string> {
    if (this.#isOver) throw new Error('the control plane has stopped: start another one');
    if (this.#folder === undefined) {
      this.#folder = later.fs.mkdtempSync(join(later.os.tmpdir(), 'control-plane-'));
      process.once('exit', this.#onExit);
    }
    const path = join(this.#folder, `${encodeURIComponent(name)}.kubeconfig`);
    await later.fs.promises.writeFile(path, text, { mode: 0o600 });
    return path;
  }

  remove(): void {
    this.#isOver = true;
    process.removeListener('exit', this.#onExit);
    if (this.#folder !== undefined) later.fs.rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}
