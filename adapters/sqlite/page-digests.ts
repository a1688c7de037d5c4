import { createHash } from 'node:crypto';

/** Half of a SHA-256. Chance never makes two pages equal in it, and a larger one doubles the memory. */
export const PAGE_DIGEST_BYTES = 16;

const UNKNOWN = Buffer.alloc(PAGE_DIGEST_BYTES);

/** The digests of the pages of a database as of one moment. A page without one counts as changed. */
export class PageDigests {
  #bytes = Buffer.alloc(0);
  #pages = 0;

  /** The number of the last page that may have a digest. */
  get pages(): number {
    return this.#pages;
  }

  /** Returns the digest of a page, all zeros for a page without one. */
  of(number: number): Buffer {
    if (number > this.#pages) return UNKNOWN;
    return this.#bytes.subarray((number - 1) * PAGE_DIGEST_BYTES, number * PAGE_DIGEST_BYTES);
  }

  set(number: number, digest: Buffer): void {
    const needed = number * PAGE_DIGEST_BYTES;
    if (needed > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(Math.max(needed, this.#bytes.length / 2))]);
    }
    this.#pages = Math.max(this.#pages, number);
    digest.copy(this.#bytes, needed - PAGE_DIGEST_BYTES);
  }

  /** Forgets the pages behind the end of a database. */
  cut(pages: number): void {
    if (pages >= this.#pages) return;
    this.#bytes.fill(0, pages * PAGE_DIGEST_BYTES, this.#pages * PAGE_DIGEST_BYTES);
    this.#pages = pages;
  }

  has(number: number, page: Buffer): boolean {
    return this.of(number).equals(digestOfPage(page));
  }
}

export const digestOfPage = (page: Buffer): Buffer =>
  createHash('sha256').update(page).digest().subarray(0, PAGE_DIGEST_BYTES);
