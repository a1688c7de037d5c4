import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { Problem } from '../../kit/problem.tsx';
import { useSession } from '../../session/session.ts';
import { fill, plural } from '../../texts/texts.ts';
import type { Picture } from './draw-graph.ts';
import type { Neighbour } from './neighbours.tsx';

/** The maximum number of entities in a picture; with more, their names would be unreadable. */
const MOST_PICTURED = 24;

interface GraphPictureProps {
  readonly seed: string;
  readonly neighbours: readonly Neighbour[];
  readonly onOpen: (entity: string) => void;
}

/** A picture of the entities around one. The drawing library loads with the first picture. */
export const GraphPicture = ({ seed, neighbours, onOpen }: GraphPictureProps) => {
  const { graph: words } = useSession().texts;
  const pictured = neighbours.slice(0, MOST_PICTURED);
  const place = useRef<HTMLDivElement>(null);
  const picture = useRef<Picture | undefined>(undefined);
  const [error, setError] = useState<unknown>();
  const latest = useRef(onOpen);
  latest.current = onOpen;
  useLayoutEffect(() => {
    let isGone = false;
    const draw = async (): Promise<void> => {
      const { drawGraph } = await import('./draw-graph.ts');
      if (isGone || place.current === null) return;
      picture.current = drawGraph(place.current, { seed, neighbours: pictured }, (entity) => latest.current(entity));
    };
    draw().catch(setError);
    return () => {
      isGone = true;
      picture.current?.remove();
      picture.current = undefined;
    };
  }, [seed, neighbours]);
  return (
    <>
      {error !== undefined && <Problem error={error} />}
      <div class="graph" ref={place} role="img" aria-label={plural(words.picture, pictured.length)} />
      <div class="graph-ways">
        {pictured.length < neighbours.length && <p class="muted">{fill(words.cut, { count: pictured.length })}</p>}
        <Button text={words.zoomIn} class="quiet" onClick={() => picture.current?.zoom(1.25)} />
        <Button text={words.zoomOut} class="quiet" onClick={() => picture.current?.zoom(0.8)} />
        <Button text={words.fit} class="quiet" onClick={() => picture.current?.fit()} />
      </div>
    </>
  );
};
