import { useState } from 'preact/hooks';
import type { Provenance as ProvenanceAnswer } from '../../../../../client/client.ts';
import { FactLine } from '../../kit/fact-line.tsx';
import { groupBy } from '../../kit/group-by.ts';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { plural } from '../../texts/texts.ts';

/** Branches that are open from the start; each requests its fact. */
const OPEN_BRANCHES = 4;
const SHOWN_HASH = 19;

type SourceNode = ProvenanceAnswer['nodes'][number];

/** The visible facts that a fact was derived from, as a tree. */
export const Provenance = ({ id }: { id: string }) => {
  const { client, texts } = useSession();
  const asked = useRequest((signal) => client.provenance(id, {}, { signal }), [id]);
  return (
    <section>
      <h2>{texts.provenance.title}</h2>
      <Answer asked={asked}>
        {(answer) => {
          const sources = sourcesIn(answer);
          const direct = sources(id);
          return (
            <>
              {direct.length === 0 ? (
                <Empty title={texts.provenance.none}>{texts.provenance.noneHint}</Empty>
              ) : (
                <ul class="tree">
                  {direct.map((node, at) => (
                    <Branch key={node.hash} node={node} sources={sources} above={[id]} isOpen={at < OPEN_BRANCHES} />
                  ))}
                </ul>
              )}
              {answer.truncated && <p class="muted">{texts.provenance.truncated}</p>}
            </>
          );
        }}
      </Answer>
    </section>
  );
};

type Sources = (factId: string) => readonly SourceNode[];

const sourcesIn = ({ nodes, edges }: ProvenanceAnswer): Sources => {
  const byHash = new Map(nodes.map((node) => [node.hash, node]));
  const byFact = groupBy(edges, ({ derived_fact_id: from }) => from);
  return (factId) => (byFact.get(factId) ?? []).flatMap(({ source_hash: hash }) => byHash.get(hash) ?? []);
};

interface BranchProps {
  readonly node: SourceNode;
  readonly sources: Sources;
  /** The facts on the path to this one. A fact that occurs again is not opened again. */
  readonly above: readonly string[];
  readonly isOpen?: boolean;
}

const Branch = ({ node, sources, above, isOpen = false }: BranchProps) => {
  const { provenance: texts } = useSession().texts;
  const [wasOpened, open] = useState(isOpen);
  const { hash, fact_id: factId, entity = '' } = node;
  if (factId === undefined) {
    return (
      <li class="muted">
        <code title={hash}>{hash.slice(0, SHOWN_HASH)}…</code> {texts.unseen}
      </li>
    );
  }
  const children = above.includes(factId) ? [] : sources(factId);
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget }) => currentTarget.open && open(true)}>
        <summary>
          <ShownText text={entity} /> <code title={hash}>{hash.slice(0, SHOWN_HASH)}…</code>{' '}
          {children.length > 0 && <span class="muted">{plural(texts.sources, children.length)}</span>}
        </summary>
        {wasOpened && <SourceFact id={factId} />}
        {wasOpened && children.length > 0 && (
          <ul>
            {children.map((child) => (
              <Branch key={child.hash} node={child} sources={sources} above={[...above, factId]} />
            ))}
          </ul>
        )}
      </details>
    </li>
  );
};

const SourceFact = ({ id }: { id: string }) => {
  const { client } = useSession();
  const asked = useRequest((signal) => client.fact(id, { signal }), [id]);
  return (
    <div class="tree-fact">
      <Answer asked={asked}>{(fact) => <FactLine fact={fact} />}</Answer>
    </div>
  );
};
