import { EXACT_LENGTH } from '../words/document-norm.ts';
import { WordList } from '../words/word-list.ts';
import { firstPlace } from './stamped-list.ts';

/**
 * The number of words of each document. The norm of a short document is exact, so only long ones take room, 8 bytes
 * each.
 */
export class DocumentLengths {
  /** Document numbers, ascending. */
  readonly documents = new WordList();
  readonly lengths = new WordList();

  add(document: number, length: number): void {
    if (length <= EXACT_LENGTH) return;
    this.documents.push(document);
    this.lengths.push(length);
  }

  of(document: number, norm: number): number {
    if (norm <= EXACT_LENGTH) return norm;
    return this.lengths.at(firstPlace(this.documents.length, (place) => this.documents.at(place) >= document));
  }
}
