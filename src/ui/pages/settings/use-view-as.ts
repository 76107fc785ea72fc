/** Goes to the view of another person. */
import { useLocation } from 'wouter-preact';
import { VIEW_AS_PATH, wantViewAs } from '../shared/view-as.ts';

export function useViewAs(): (name: string) => void {
  const [, navigate] = useLocation();
  return (name) => {
    wantViewAs(name);
    navigate(VIEW_AS_PATH);
  };
}
