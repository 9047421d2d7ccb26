// Calls a managed-agent server with the generated client: `call <base url>`. One line for each check.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	houmao "example.com/houmao/managed_agent"
)

func main() {
	client, err := houmao.NewClientWithResponses(os.Args[1])
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	var agent string

	check("the agents are listed", func() error {
		answer, err := client.ListAgentsWithResponse(ctx, nil)
		if err != nil {
			return err
		}
		list := answer.JSON200
		if list == nil || len(list.Agents) != 1 || list.Agents[0].Transport != houmao.AgentTransportHeadless {
			return errors.New(string(answer.Body))
		}
		agent = list.Agents[0].TrackedAgentId
		return nil
	})
	check("its detail is distinguished by transport", func() error {
		answer, err := client.GetAgentDetailWithResponse(ctx, agent)
		if err != nil {
			return err
		}
		if answer.JSON200 == nil {
			return errors.New(string(answer.Body))
		}
		detail, err := answer.JSON200.Detail.ValueByDiscriminator()
		if _, headless := detail.(houmao.HeadlessAgentDetail); !headless {
			return fmt.Errorf("it is a %T: %v", detail, err)
		}
		return nil
	})
	check("an unknown agent is a typed 404", func() error {
		answer, err := client.GetAgentWithResponse(ctx, "nobody")
		if err != nil {
			return err
		}
		if answer.JSON404 == nil || !strings.Contains(answer.JSON404.Detail, "nobody") {
			return errors.New(string(answer.Body))
		}
		return nil
	})
}
