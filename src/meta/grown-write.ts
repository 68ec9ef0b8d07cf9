/** Webhooks answer a write with so much, or make it so large, that it would hold the thread: it begins again where large writes are carried out. */
export class GrownWrite extends Error {
  constructor() {
    super('webhooks made the write a large one');
    this.name = 'GrownWrite';
  }
}
