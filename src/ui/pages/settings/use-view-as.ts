/** Goes to the view of another person. */
import { useLocation } from 'wouter-preact';
import { beginViewAs, VIEW_AS_PATH } from '../shared/view-as.ts';

export function useViewAs(): (name: string) => void {
  const [, navigate] = useLocation();
  return (name) => {
    beginViewAs(name);
    navigate(VIEW_AS_PATH);
  };
}
