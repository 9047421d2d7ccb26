// Calls a managed-agent server with the generated client: `call <base url>`. One line for each check.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	houmao "example.com/houmao/managed_agent"
	"github.com/ogen-go/ogen/ogenerrors"
)

// The local user needs no token.
type noToken struct{}

func (noToken) BearerToken(context.Context, houmao.OperationName) (houmao.BearerToken, error) {
	return houmao.BearerToken{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	client, err := houmao.NewClient(os.Args[1], noToken{})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	var agent string

	check("the agents are listed", func() error {
		answer, err := client.ListAgents(ctx, houmao.ListAgentsParams{})
		list, ok := answer.(*houmao.AgentList)
		if !ok || len(list.Agents) != 1 || list.Agents[0].Transport != houmao.AgentTransportHeadless {
			return fmt.Errorf("it is %v: %v", answer, err)
		}
		agent = list.Agents[0].TrackedAgentID
		return nil
	})
	check("its detail is distinguished by transport", func() error {
		answer, err := client.GetAgentDetail(ctx, houmao.GetAgentDetailParams{AgentRef: agent})
		detail, ok := answer.(*houmao.AgentDetail)
		if !ok || !detail.Detail.IsHeadlessAgentDetail() {
			return fmt.Errorf("it is %v: %v", answer, err)
		}
		return nil
	})
	check("an unknown agent is a typed 404", func() error {
		answer, err := client.GetAgent(ctx, houmao.GetAgentParams{AgentRef: "nobody"})
		refusal, ok := answer.(*houmao.NoAgentHeaders)
		if !ok || !strings.Contains(refusal.Response.Detail, "nobody") {
			return fmt.Errorf("it is %v: %v", answer, err)
		}
		return nil
	})
}
