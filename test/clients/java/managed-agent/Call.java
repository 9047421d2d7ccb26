package houmao.managed_agent;

import houmao.managed_agent.api.AgentsApi;
import houmao.managed_agent.api.TurnsApi;
import houmao.managed_agent.model.AgentIdentity;
import houmao.managed_agent.model.AgentTransport;
import houmao.managed_agent.model.AgentTurnCreate;
import houmao.managed_agent.model.ErrorText;
import houmao.managed_agent.model.HeadlessAgentDetail;
import houmao.managed_agent.model.TurnRecord;
import java.math.BigDecimal;
import java.util.List;

/** Calls a managed-agent server with the generated client: {@code Call <base url>}. One line for each check. */
public class Call {
  static boolean failed = false;
  static String agent;
  static String turnId;

  interface Check {
    void run() throws Exception;
  }

  static void check(String name, Check check) {
    try {
      check.run();
      System.out.println("ok " + name);
    } catch (Exception | AssertionError error) {
      failed = true;
      System.out.println(("failed " + name + ": " + error).replace('\n', ' '));
    }
  }

  static void expect(boolean condition, Object what) {
    if (!condition) throw new AssertionError(what);
  }

  public static void main(String[] args) {
    ApiClient api = new ApiClient();
    api.updateBaseUri(args[0]);
    AgentsApi agents = new AgentsApi(api);
    TurnsApi turns = new TurnsApi(api);

    check("the agents are listed", () -> {
      List<AgentIdentity> found = agents.listAgents(AgentsApi.APIListAgentsRequest.newBuilder().build()).getAgents();
      expect(found.size() == 1 && found.get(0).getTransport() == AgentTransport.HEADLESS, found);
      agent = found.get(0).getTrackedAgentId();
    });
    check("its detail is distinguished by transport", () -> {
      Object detail = agents.getAgentDetail(agent).getDetail().getActualInstance();
      expect(detail instanceof HeadlessAgentDetail, detail);
    });
    check("a turn runs once, and its record has the answer", () -> {
      AgentTurnCreate create = new AgentTurnCreate().prompt("Hello from Java");
      TurnsApi.APICreateTurnRequest call = TurnsApi.APICreateTurnRequest.newBuilder()
          .agentRef(agent).agentTurnCreate(create).idempotencyKey("java-1").build();
      turnId = turns.createTurn(call).getTurnId();
      expect(turns.createTurn(call).getTurnId().equals(turnId), "a second turn");
      TurnRecord record = turns.getTurnRecord(agent, turnId, BigDecimal.valueOf(30));
      expect(record.getAnswer().getText().contains("Hello from Java"), record);
    });
    check("what the agent wrote is read as text", () -> {
      String text = turns.getTurnStdout(
          TurnsApi.APIGetTurnStdoutRequest.newBuilder().agentRef(agent).turnId(turnId).build());
      expect(text.contains("Hello from Java"), text);
    });
    check("an unknown agent is a typed 404", () -> {
      try {
        agents.getAgent("nobody");
        throw new AssertionError("it was not refused");
      } catch (ApiException error) {
        // Java's client leaves the decoding of a refusal to us.
        ErrorText body = api.getObjectMapper().readValue(error.getResponseBody(), ErrorText.class);
        expect(error.getCode() == 404 && body.getDetail().contains("nobody"), error);
      }
    });
    System.exit(failed ? 1 : 0);
  }
}
