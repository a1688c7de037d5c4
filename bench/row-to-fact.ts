/** One row of a `corpus.jsonl`. `store` separates independent memories, `id` is unique in its store. */
export interface CorpusRow {
  readonly store: string;
  readonly id: string;
  /** The speaker, or the document itself. */
  readonly entity: string;
  readonly text: string;
  readonly ts?: string;
}

/** A row as an assertion, and the session that it belongs to. */
export interface RowFact {
  readonly session: string;
  readonly body: {
    readonly entity: string;
    readonly relation: string;
    readonly value: { readonly type: 'text'; readonly v: string };
    readonly source: string;
    readonly scope: 'local';
    readonly timestamp?: string;
  };
}

/**
 * A spoken turn keeps its speaker inside the text; a document, which is the row that is about itself, does not. `store`
 * is part of entity and source, so that memories that share a node stay apart.
 */
export const rowToFact = (row: CorpusRow): RowFact => {
  const isDocument = row.entity === row.id;
  const [part = row.id] = row.id.split(':');
  return {
    session: `${row.store}/${part}`,
    body: {
      entity: isDocument ? `doc:${row.id}` : `turn:${row.store}/${row.id}`,
      relation: isDocument ? 'doc:abstract' : 'chat:said',
      value: { type: 'text', v: isDocument ? row.text : `${row.entity}: ${row.text}` },
      source: `agent:${row.store}`,
      scope: 'local',
      ...(row.ts === undefined || row.ts === null ? {} : { timestamp: row.ts }),
    },
  };
};
