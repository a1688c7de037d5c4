import { FEED_START, type Hlc, type PluginTables, type Random, type SqlValue } from '../../../kernel/plugin-api.ts';
import { drawHashSeed, type HashSeed } from '../index/text-hash.ts';
import { TOKENIZER_VERSION } from '../words/term-reader.ts';
import { COVERS_TABLE, FACTS_TABLE, PARTS_TABLE, STATE_TABLE, WORDS_TABLE } from './postgres-tables.ts';

/** The lock of writes to the state. */
const LOCK = 'search-postgres';

/** The state of the whole index, shared by all processes. */
export class IndexState {
  readonly seed: HashSeed;
  readonly #tables: PluginTables;

  private constructor(tables: PluginTables, seed: HashSeed) {
    this.#tables = tables;
    this.seed = seed;
  }

  /** Reads the state. Starts an empty index if there is none or if the rules for terms have changed. */
  static async open(tables: PluginTables, random: Random): Promise<IndexState> {
    const drawn = drawHashSeed(random);
    const row = await tables.write(LOCK, async (own) => {
      const [known] = await own.select(STATE_TABLE, { id: 1 });
      if (known !== undefined && Number(known['tokenizer']) === TOKENIZER_VERSION) return known;
      for (const table of [STATE_TABLE, PARTS_TABLE, FACTS_TABLE, WORDS_TABLE, COVERS_TABLE]) await own(table).delete();
      // Keeps the seed, because the signs of vectors stay stored and refer to hashes under this seed.
      const seed = known === undefined ? drawn.join(' ') : String(known['seed']);
      const fresh = { id: 1, seed, tokenizer: TOKENIZER_VERSION, ...columnsOf(FEED_START) };
      await own.insertRows(STATE_TABLE, [fresh]);
      return fresh;
    });
    return new IndexState(tables, String(row['seed']).split(' ').map(Number) as unknown as HashSeed);
  }

  /** Returns the feed stamp up to which all facts have their rows. */
  async position(): Promise<Hlc> {
    const [row] = (await this.#tables(STATE_TABLE).where({ id: 1 })) as Record<string, SqlValue>[];
    return { wallMs: Number(row?.['feed_wall'] ?? 0), counter: Number(row?.['feed_ctr'] ?? 0) };
  }

  /** Raises the position. Ignores a lower one, because processes save theirs in any order. */
  async advance(to: Hlc): Promise<void> {
    await this.#tables(STATE_TABLE)
      .where({ id: 1 })
      .whereRaw('(feed_wall, feed_ctr) < (?, ?)', [to.wallMs, to.counter])
      .update(columnsOf(to));
  }
}

const columnsOf = ({ wallMs, counter }: Hlc) => ({ feed_wall: wallMs, feed_ctr: counter });
