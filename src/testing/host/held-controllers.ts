/** Controllers of a control plane that has all that they would make begin behind the answer of its start, which they hold up by half. */
export class HeldControllers {
  /** Resolves when they may begin. */
  readonly told: Promise<void>;
  #tell!: () => void;
  #mayBegin = false;

  constructor() {
    this.told = new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  get mayBegin(): boolean {
    return this.#mayBegin;
  }

  begin(): void {
    this.#mayBegin = true;
    this.#tell();
  }
}
